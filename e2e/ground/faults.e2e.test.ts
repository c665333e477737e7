import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { down, up, type Cluster, type ClusterNode, type Endpoint } from "@moco-ts/local-kubernetes";
import { program } from "./program.ts";
import { apply, fetchFrom, podAddress, service, untilPodsReady, webPod } from "./pods.ts";

const name = "ground-faults";
let cluster: Cluster;
let secondNode: ClusterNode;

beforeAll(async () => {
  cluster = await up({ name, nodes: 2 });
  secondNode = cluster.nodes[1]!;
  await apply(
    cluster,
    webPod({ name: "first", node: "node-1" }),
    webPod({ name: "neighbour", node: "node-1" }),
    webPod({ name: "second", node: "node-2", labels: { app: "second" } }),
    service("service-of-second", { app: "second" }),
  );
  await untilPodsReady(cluster, "first", "neighbour", "second");
});

afterAll(() => down(name));
afterEach(() => cluster.faults.heal());

const pod = (podName: string): Endpoint => ({ pod: { namespace: "default", name: podName } });

async function reaches(from: string, to: string): Promise<boolean> {
  return (await fetchFrom(cluster, from, `http://${await podAddress(cluster, to)}:8080`)) === to;
}

async function nodeReady(node: string): Promise<string> {
  const path = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
  return cluster.kubectl(["get", "node", node, "-o", path]);
}

describe("the network is cut", () => {
  test("between two pods of one node, and healed", async () => {
    const cut = await cluster.faults.cut(pod("first"), pod("neighbour"));
    expect(await reaches("first", "neighbour")).toBe(false);
    expect(await reaches("neighbour", "first")).toBe(false);
    expect(await reaches("first", "second")).toBe(true);
    await cut.heal();
    expect(await reaches("first", "neighbour")).toBe(true);
  });

  test("between two pods of different nodes, also through a service", async () => {
    await cluster.faults.cut(pod("first"), pod("second"));
    expect(await reaches("first", "second")).toBe(false);
    expect(await fetchFrom(cluster, "first", "http://service-of-second")).toBe("unreachable");
    expect(await fetchFrom(cluster, "neighbour", "http://service-of-second")).toBe("second");
  });

  test("between two nodes, which both still reach the API server", async () => {
    await cluster.faults.cut({ node: "node-1" }, { node: "node-2" });
    expect(await reaches("first", "second")).toBe(false);
    expect(await reaches("second", "first")).toBe(false);
    expect(await apiServerAnswers("first")).toBe(true);
    expect(await apiServerAnswers("second")).toBe(true);
  });

  test("between a pod and the API server, and nothing else of the pod", async () => {
    await cluster.faults.cut(pod("first"), "api-server");
    expect(await apiServerAnswers("first")).toBe(false);
    expect(await apiServerAnswers("neighbour")).toBe(true);
    expect(await fetchFrom(cluster, "first", "http://service-of-second")).toBe("second");
  });

  test("between the host and the API server", async () => {
    const cut = await cluster.faults.cut("host", "api-server");
    await expect(cluster.kubectl(["get", "nodes", "--request-timeout=1s"])).rejects.toThrow(
      /timeout|deadline|exceeded/i,
    );
    await cut.heal();
    expect(await cluster.kubectl(["get", "nodes"])).toContain("node-2");
  });

  test("one way: packets of the other direction still arrive", async () => {
    await cluster.faults.cut(pod("first"), pod("neighbour"), { oneWay: true });
    expect(await knocksAt("neighbour", "first")).toBe(true);
    expect(await knocksAt("first", "neighbour")).toBe(false);
  });
});

/** Whether the first packet of a connection arrives. It stays half open, as the answer is lost. */
async function knocksAt(from: string, to: string): Promise<boolean> {
  const [caller, address] = [await podAddress(cluster, from), await podAddress(cluster, to)];
  const look = `for i in $(seq 20); do netstat -tn | grep SYN_RECV | grep ${caller} && break; sleep 0.1; done`;
  const [seen] = await Promise.all([
    cluster.kubectl(["exec", to, "--", "sh", "-c", `${look}; true`]),
    cluster.kubectl(["exec", from, "--", "sh", "-c", `nc -w 2 ${address} 8080 </dev/null; true`]),
  ]);
  return seen !== "";
}

async function apiServerAnswers(from: string): Promise<boolean> {
  const script = "nc -w 2 kubernetes.default 443 </dev/null && echo connected || echo cut";
  return (await cluster.kubectl(["exec", from, "--", "sh", "-c", script])).trim() === "connected";
}

describe("processes of a pod", () => {
  const target = { namespace: "default", name: "first", process: "httpd" };

  test("are frozen, and go on when they are thawed", async () => {
    await cluster.faults.freeze(target);
    expect(await reaches("neighbour", "first")).toBe(false);
    await cluster.faults.thaw(target);
    expect(await reaches("neighbour", "first")).toBe(true);
  });

  test("are killed, and the kubelet starts the container again", async () => {
    const before = await cluster.faults.pids(target);
    await cluster.faults.kill(target);
    const restarts = "jsonpath={.status.containerStatuses[0].restartCount}";
    await vi.waitFor(async () => expect(await cluster.kubectl(["get", "pod", "first", "-o", restarts])).toBe("1"), {
      timeout: 30_000,
      interval: 200,
    });
    await untilPodsReady(cluster, "first");
    expect(await cluster.faults.pids(target)).toHaveLength(1);
    expect(await cluster.faults.pids(target)).not.toEqual(before);
  });
});

test("the commands do the same", async () => {
  await localKubernetes("fault", "freeze", "pod/default/neighbour/web", "--process", "httpd");
  expect(await reaches("first", "neighbour")).toBe(false);
  await localKubernetes("fault", "thaw", "pod/default/neighbour");
  expect(await reaches("first", "neighbour")).toBe(true);

  const id = await localKubernetes("fault", "cut", "node/node-1", "pod/default/second", "--one-way");
  expect(await reaches("first", "second")).toBe(false);
  await localKubernetes("fault", "heal", id.trim());
  expect(await reaches("first", "second")).toBe(true);

  await localKubernetes("fault", "kill", "node-2/kube-proxy");
  expect(await localKubernetes("status")).toMatch(/node-2\/kube-proxy +stopped/);
  await localKubernetes("fault", "start", "node-2/kube-proxy");
  expect(await localKubernetes("status")).toMatch(/node-2\/kube-proxy +pid/);
  await expect(localKubernetes("fault", "stop", "nonsense")).rejects.toThrow(/node-2\/kubelet/);
});

async function localKubernetes(...args: string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [program, ...args, "--name", name])).stdout;
}

describe("the control plane", () => {
  test("is frozen: requests hang, and are answered when it is thawed", async () => {
    cluster.apiServer.freeze();
    await expect(cluster.kubectl(["get", "nodes", "--request-timeout=1s"])).rejects.toThrow(
      /timeout|deadline|exceeded/i,
    );
    cluster.apiServer.thaw();
    expect(await cluster.kubectl(["get", "nodes"])).toContain("node-2");
  });

  test("is stopped and started again with all that it knew", async () => {
    await cluster.apiServer.stop("SIGKILL");
    await cluster.etcd.restart("SIGKILL");
    await expect(cluster.kubectl(["get", "nodes"])).rejects.toThrow(/refused/);
    await cluster.apiServer.start();
    expect(await cluster.kubectl(["get", "pods"])).toContain("neighbour");
  });
});

describe("a node", () => {
  test("whose kubelet is stopped keeps its pods", async () => {
    await secondNode.kubelet.stop();
    expect(await reaches("first", "second")).toBe(true);
    await secondNode.kubelet.start();
  });

  test("that loses its power is not Ready, and comes back with its pods", async () => {
    await secondNode.powerOff();
    expect(await reaches("first", "second")).toBe(false);
    await vi.waitFor(async () => expect(await nodeReady("node-2")).toBe("Unknown"), {
      timeout: 90_000,
      interval: 1_000,
    });
    await secondNode.powerOn();
    await vi.waitFor(async () => expect(await nodeReady("node-2")).toBe("True"), { timeout: 60_000, interval: 500 });
    await vi.waitFor(async () => expect(await reaches("first", "second")).toBe(true), {
      timeout: 60_000,
      interval: 500,
    });
  });

  test("that is frozen answers nothing until it is thawed", async () => {
    secondNode.freeze();
    expect(await reaches("first", "second")).toBe(false);
    secondNode.thaw();
    expect(await reaches("first", "second")).toBe(true);
  });
});
