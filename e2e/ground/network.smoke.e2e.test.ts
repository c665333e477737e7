import { createServer } from "node:http";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { down, up, type Cluster } from "@moco-ts/local-kubernetes";
import { apply, fetchFrom, podAddress, service, untilPodsReady, webPod } from "./pods.ts";

const name = "ground-network";
let cluster: Cluster;

beforeAll(async () => {
  cluster = await up({ name, nodes: 2 });
  await apply(
    cluster,
    webPod({ name: "first", node: "node-1" }),
    webPod({ name: "neighbour", node: "node-1" }),
    webPod({ name: "second", node: "node-2", labels: { app: "second" } }),
    webPod({ name: "self", node: "node-1", labels: { app: "self" } }),
    service("second", { app: "second" }),
    service("mirror", { app: "self" }),
  );
  await untilPodsReady(cluster, "first", "neighbour", "second", "self");
});

afterAll(() => down(name));

describe("pods reach", () => {
  test("a pod on the same node", async () => {
    expect(await fetchFrom(cluster, "first", `http://${await podAddress(cluster, "neighbour")}:8080`)).toBe(
      "neighbour",
    );
  });

  test("a pod on another node, both ways", async () => {
    expect(await fetchFrom(cluster, "first", `http://${await podAddress(cluster, "second")}:8080`)).toBe("second");
    expect(await fetchFrom(cluster, "second", `http://${await podAddress(cluster, "first")}:8080`)).toBe("first");
  });

  test("a service by its name, on the same node, on another, and of their own", async () => {
    expect(await fetchFrom(cluster, "first", "http://mirror")).toBe("self");
    expect(await fetchFrom(cluster, "first", "http://second.default.svc.cluster.local")).toBe("second");
    expect(await fetchFrom(cluster, "self", "http://mirror")).toBe("self");
  });

  test("the API server by the service's name", async () => {
    const script = "nc -w 2 kubernetes.default 443 </dev/null && echo connected";
    expect(await cluster.kubectl(["exec", "second", "--", "sh", "-c", script])).toContain("connected");
  });

  test("a program of the host", async () => {
    const server = createServer((_, response) => response.end("host")).listen(0, cluster.hostAddress);
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    expect(await fetchFrom(cluster, "second", `http://${cluster.hostAddress}:${port}`)).toBe("host");
    server.close();
  });
});

test("the host reaches pods and services", async () => {
  const address = await cluster.kubectl(["get", "service", "second", "-o", "jsonpath={.spec.clusterIP}"]);
  for (const url of [`http://${await podAddress(cluster, "second")}:8080`, `http://${address}`]) {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    expect((await response.text()).trim()).toBe("second");
  }
});

test("no pod gets out of the cluster", async () => {
  const script = "ip route get 192.0.2.1; timeout 2 nc -w 1 192.0.2.1 80 </dev/null || echo refused";
  expect(await cluster.kubectl(["exec", "first", "--", "sh", "-c", script])).toContain("refused");
});

test("kubectl reaches the kubelets: exec, logs and their metrics", async () => {
  expect(await cluster.kubectl(["logs", "second"])).toBe("");
  const metrics = await cluster.kubectl(["get", "--raw", "/api/v1/nodes/node-2/proxy/metrics"]);
  expect(metrics).toContain("kubelet_running_pods");
});
