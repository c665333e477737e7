import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveBinary } from "../binaries/resolve.ts";
import { identify, isAlive, type ProcessIdentity } from "../process/identity.ts";
import { waitFor } from "../system/wait.ts";
import { startControlPlane, type ControlPlane } from "./start.ts";

const execute = promisify(execFile);
let controlPlane: ControlPlane;
let kubectlPath: string;

beforeAll(async () => {
  [controlPlane, kubectlPath] = await Promise.all([
    startControlPlane({ auditLog: true, controllerManager: true }),
    resolveBinary("kubectl"),
  ]);
});

afterAll(() => controlPlane.stop());

async function kubectl(...args: string[]): Promise<string> {
  return (await execute(kubectlPath, ["--kubeconfig", controlPlane.kubeconfigPath, ...args])).stdout;
}

async function resourceVersion(name: string): Promise<string> {
  return kubectl("get", "configmap", name, "-o", "jsonpath={.metadata.resourceVersion}");
}

test("objects survive a restart of the API server and of etcd, at the same address", async () => {
  await kubectl("create", "configmap", "kept");
  const { server } = controlPlane;
  await controlPlane.apiServer.restart("SIGKILL");
  await controlPlane.etcd.restart("SIGKILL");
  expect(controlPlane.server).toBe(server);
  await expect.poll(() => kubectl("get", "configmap", "kept").catch(() => ""), { timeout: 30_000 }).toContain("kept");
});

test("a watch from before a compaction gets 410", async () => {
  await kubectl("create", "configmap", "old");
  const old = await resourceVersion("old");
  await kubectl("create", "configmap", "new");
  await controlPlane.compact();
  const path = `/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=2&resourceVersion=${old}`;
  const events = await kubectl("get", "--raw", path).catch((error: { stderr?: string }) => error.stderr ?? "");
  expect(events).toMatch(/too old resource version|410|Expired/);
});

test("a streamed list ends with a bookmark", async () => {
  const parameters =
    "watch=1&timeoutSeconds=2&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const events = await kubectl("get", "--raw", `/api/v1/namespaces/default/configmaps?${parameters}`);
  expect(events).toContain('"k8s.io/initial-events-end":"true"');
});

test("what an owner leaves is collected, as the controllers run", async () => {
  await kubectl("create", "deployment", "owner", "--image=none");
  const replicaSets = () => kubectl("get", "replicasets", "-o", "name");
  await expect.poll(replicaSets, { timeout: 30_000 }).toContain("owner");
  await kubectl("delete", "deployment", "owner");
  await expect.poll(replicaSets, { timeout: 30_000 }).toBe("");
});

test("every request is in the audit log", async () => {
  await kubectl("get", "--raw", "/api/v1/namespaces/default/secrets/asked-for").catch(() => "");
  expect(await readFile(controlPlane.auditLogPath ?? "", "utf8")).toContain("secrets/asked-for");
});

test("nothing is left of a control plane whose process was killed", async () => {
  const script = `import { startControlPlane } from ${JSON.stringify(join(import.meta.dirname, "start.ts"))};
    const { apiServer, etcd, kubeconfigPath } = await startControlPlane();
    console.log(JSON.stringify({ pids: [apiServer.pid, etcd.pid], kubeconfigPath }));
    setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { kubeconfigPath, pids } = JSON.parse(line.toString()) as { pids: number[]; kubeconfigPath: string };
  const processes = pids.map((pid) => identify(pid)).filter((each): each is ProcessIdentity => each !== undefined);
  expect(processes).toHaveLength(2);
  expect(existsSync(kubeconfigPath)).toBe(true);
  child.kill("SIGKILL");
  await waitFor(() => !processes.some(isAlive) && !existsSync(dirname(kubeconfigPath)), { what: "all to be gone" });
});
