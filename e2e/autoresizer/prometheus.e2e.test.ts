import { afterAll, beforeAll, expect, test } from "vitest";
import { patience, startAutoresizerCluster, type AutoresizerCluster } from "./cluster.ts";
import { credentials, Prometheus } from "./prometheus.ts";

let cluster: AutoresizerCluster;
let prometheus: Prometheus;

beforeAll(async () => {
  cluster = await startAutoresizerCluster({
    name: "autoresizer-prom",
    nodes: 2,
    prepare: async (local) => {
      prometheus = await Prometheus.create(local);
      await prometheus.start();
      return {
        source: "prometheus",
        files: { ...prometheus.files, password: credentials.password },
        flags: [
          `--prometheus-url=${prometheus.url}`,
          "--prometheus-ca-file=/secrets/ca.crt",
          "--prometheus-cert-file=/secrets/tls.crt",
          "--prometheus-key-file=/secrets/tls.key",
          `--prometheus-username=${credentials.username}`,
          "--prometheus-password-file=/secrets/password",
        ],
      };
    },
  });
});

afterAll(async () => {
  await prometheus?.remove();
  await cluster?.down();
});

test("volumes of all nodes grow by what Prometheus has scraped", async () => {
  const annotations = { storage_limit: "1Gi" };
  await cluster.createUser({ name: "bytes", node: "node-1", annotations });
  await cluster.createUser({ name: "inodes", node: "node-2", annotations });
  await cluster.fill("bytes", 95);
  await cluster.fillInodes("inodes", 95);
  await expect.poll(() => cluster.storage.capacity("bytes"), patience).toBe("1Gi");
  await expect.poll(() => cluster.storage.capacity("inodes"), patience).toBe("1Gi");
  expect(await cluster.metric("pvcautoresizer_success_resize_total{")).toBe(1);
  await cluster.storage.remove("bytes");
  await cluster.storage.remove("inodes");
});

test("while Prometheus is away that is counted, and volumes grow when it is back", async () => {
  await cluster.createUser({ name: "patient", annotations: { storage_limit: "1Gi" } });
  await prometheus.stop();
  const failures = () => cluster.metric("pvcautoresizer_metrics_client_fail_total");
  const before = (await failures()) ?? 0;
  await cluster.fill("patient", 95);
  await expect.poll(failures, patience).toBeGreaterThan(before + 1);
  expect(await cluster.request("patient")).toBe("400Mi");
  await prometheus.start();
  await expect.poll(() => cluster.storage.capacity("patient"), patience).toBe("1Gi");
  await cluster.storage.remove("patient");
});

test("no right on nodes is needed, and no secret is logged", async () => {
  const logs = await cluster.logs();
  expect(logs).toMatch(/became leader/);
  expect(logs.split("\n").filter((line) => /forbidden|nobody caught/i.test(line))).toEqual([]);
  expect(logs).not.toContain(credentials.password);
});
