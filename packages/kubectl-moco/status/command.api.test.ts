import { MySQLClusters, podName } from "@moco-ts/api";
import { Events, PersistentVolumeClaims, Pods } from "@moco-ts/kube";
import type { ClusterView } from "@moco-ts/view";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createCluster, type TestCluster } from "../testing/cluster.ts";
import { runCommand, startCommand } from "../testing/run.ts";

test("a picture of a cluster whose instances can't be asked", async () => {
  const { namespace } = await createCluster({ notReady: [2] });
  const { code, output } = await runCommand(["status", "test"], { namespace });
  expect(code).toBe(0);
  expect(output).toContain(`MySQLCluster ${namespace}/test  Unknown\n2 of 3 instances are Ready, the primary is 0\n`);
  expect(output).toContain("✗ instance 1: mysqld can't be asked: pod moco-test-1 does not have a host assigned\n");
  expect(output).toMatch(/ {2}2 +moco-test-2 +replica +not Ready +\? +\? +\? +\? +0 +\d+s +-\n/);
  expect(output).toContain("  mysql-data-moco-test-0  Missing");
  // Standard output of a test is no terminal.
  expect(output).not.toContain("\x1b");
});

test("the same for programs", async () => {
  const cluster = await createCluster();
  const { namespace } = cluster;
  await tell(cluster, "MySQLCluster", "test", "Writable");
  await tell(cluster, "Pod", "moco-test-1", "Killing");
  await tell(cluster, "Pod", "moco-tests-1", "OfAnotherCluster");
  const json = await runCommand(["status", "test", "-o", "json"], { namespace });
  const view = JSON.parse(json.output) as ClusterView;
  expect(view).toMatchObject({ namespace, name: "test", replicas: 3, readyReplicas: 3, primary: 0 });
  expect(view.events!.map(({ reason }) => reason).sort()).toEqual(["Killing", "Writable"]);
  const yaml = await runCommand(["status", "test", "-o", "yaml"], { namespace });
  expect(parse(yaml.output)).toMatchObject({ ...view, time: expect.any(String), findings: expect.any(Array) });
});

test("a user who may read little sees that much", async () => {
  const { client, namespace } = await createCluster();
  await client.raw(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`, {
    method: "POST",
    body: JSON.stringify({
      metadata: { name: "little" },
      rules: [{ apiGroups: ["moco.cybozu.com"], resources: ["mysqlclusters"], verbs: ["get"] }],
    }),
  });
  await client.raw(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    method: "POST",
    body: JSON.stringify({
      metadata: { name: "little" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "little" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ann" }],
    }),
  });
  // Rights take a moment to spread.
  const look = () => runCommand(["--as", "ann", "status", "test"], { namespace });
  await expect.poll(async () => (await look()).code, { timeout: 60_000 }).toBe(0);
  const { output } = await look();
  for (const what of ["StatefulSets", "Pods", "Volume claims", "Events"]) {
    expect(output).toContain(`\n${what} can't be read: you may not\n`);
  }
  expect(output).not.toContain("Missing");
});

test("-w shows every change until Ctrl-C, which is no failure", async () => {
  const { client, namespace } = await createCluster();
  const interrupted = new AbortController();
  const { signal } = interrupted;
  const { command, ended } = await startCommand(["status", "test", "-w", "-o", "json"], { namespace, signal });
  const views = () =>
    command
      .output()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ClusterView);
  const patience = { timeout: 60_000, interval: 50 };
  await expect.poll(() => views().length, patience).toBeGreaterThan(0);

  const body = { status: { conditions: [{ type: "Ready", status: "False" }] } };
  const key = { namespace, name: podName("test", 2) };
  await client.patch(Pods, key, { type: "merge", body }, { subresource: "status" });
  await expect.poll(() => views().at(-1)?.readyReplicas, patience).toBe(2);

  const claim = { namespace, name: "mysql-data-moco-test-0" };
  const labels = { ...(await client.get(Pods, key)).metadata!.labels };
  await client.create(PersistentVolumeClaims, {
    metadata: { ...claim, labels },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await expect.poll(() => views().at(-1)?.volumes?.[0]?.request, patience).toBe("1Gi");

  interrupted.abort(new Error("got SIGINT"));
  expect(await ended).toBe(0);
  expect(command.errors()).toBe("");
});

test("on a terminal there are colours, unless NO_COLOR says otherwise", async () => {
  const { namespace } = await createCluster();
  const look = (environment: Record<string, string>, terminal = true) =>
    runCommand(["status", "test"], { namespace, terminal, environment });
  expect((await look({})).output).toContain("\x1b[1mINSTANCES\x1b[22m");
  expect((await look({ NO_COLOR: "1" })).output).not.toContain("\x1b");
  expect((await look({ TERM: "dumb" })).output).not.toContain("\x1b");
  expect((await look({ FORCE_COLOR: "1" }, false)).output).toContain("\x1b");
});

test("-w on a terminal draws in place, gives it back, and leaves the last picture", async () => {
  const { namespace } = await createCluster();
  const interrupted = new AbortController();
  const options = { namespace, terminal: true, signal: interrupted.signal, environment: { NO_COLOR: "1" } };
  const { command, ended } = await startCommand(["status", "test", "-w"], options);
  await expect.poll(() => command.output(), { timeout: 60_000 }).toContain("INSTANCES");
  interrupted.abort(new Error("got SIGINT"));
  expect(await ended).toBe(0);
  const [drawn = "", left = ""] = command.output().split("\x1b[?25h\x1b[?1049l");
  expect(drawn.startsWith("\x1b[?1049h\x1b[?25l\x1b[HMySQLCluster")).toBe(true);
  expect(left).toMatch(/^MySQLCluster .*\n/);
  expect(left).not.toContain("\x1b");
});

test("-w ends with the cluster", async () => {
  const { client, namespace } = await createCluster();
  const { command, ended } = await startCommand(["status", "test", "-w"], { namespace });
  await expect.poll(() => command.output(), { timeout: 60_000 }).toContain("INSTANCES");
  await client.delete(MySQLClusters, { namespace, name: "test" });
  expect(await ended).toBe(0);
  expect(command.errors()).toBe(`MySQLCluster "${namespace}/test" was deleted\n`);
});

async function tell({ client, namespace }: TestCluster, kind: string, name: string, reason: string): Promise<void> {
  await client.create(Events, {
    metadata: { namespace, generateName: "event-" },
    involvedObject: { kind, namespace, name },
    type: "Normal",
    reason,
    message: "it happened",
    lastTimestamp: "2026-01-01T00:00:00Z",
  });
}
