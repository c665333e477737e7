import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedControlPlane } from "@moco-ts/local-kubernetes";
import { TestCluster } from "../testing/cluster.ts";
import { FakePrometheus } from "../testing/fake-prometheus.ts";
import { gibibyte, testUsage } from "../testing/objects.ts";

test("a person asks about a claim and is told what is seen, what will be done, and why", async () => {
  const cluster = await TestCluster.create();
  const { namespace } = cluster;
  await cluster.createClaim("data", { annotations: { storage_limit: "100Gi" } });
  const prometheus = await FakePrometheus.start();
  prometheus.volumes.set(`${namespace}/data`, testUsage({ available: 0.5 * gibibyte }));
  const { code, output } = await run("explain", `${namespace}/data`, `--prometheus-url=${prometheus.url}`);
  expect(output).toContain(`PersistentVolumeClaim ${namespace}/data\n`);
  expect(output).toContain("in use       9.5Gi of 10Gi, 512Mi (5%) available");
  expect(output).toMatch(/The next round asks for 11Gi: 512Mi \(5%\) are available, less than 1Gi\.\n$/);
  expect(code).toBe(0);
  expect(await cluster.request("data")).toBe("10Gi");
});

test("without statistics it says so, and without a claim it fails", async () => {
  const cluster = await TestCluster.create();
  await cluster.createClaim("data", { annotations: { storage_limit: "100Gi" } });
  const nobody = "--prometheus-url=http://127.0.0.1:1";
  const { code, output } = await run("explain", `${cluster.namespace}/data`, nobody);
  expect(code).toBe(0);
  expect(output).toContain("in use       unknown");
  expect(output).toMatch(/No statistics from Prometheus, .*ECONNREFUSED/);
  const missing = await run("explain", `${cluster.namespace}/nothing`, nobody);
  expect(missing).toEqual({
    code: 1,
    output: `pvc-autoresizer: there is no PersistentVolumeClaim ${cluster.namespace}/nothing\n`,
  });
});

async function run(...args: string[]): Promise<{ code: number; output: string }> {
  const { kubeconfigPath } = await sharedControlPlane();
  const program = join(import.meta.dirname, "../main.ts");
  const child = spawn(process.execPath, [program, ...args], { env: { KUBECONFIG: kubeconfigPath }, stdio: "pipe" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const [code] = (await once(child, "close")) as [number];
  return { code, output };
}
