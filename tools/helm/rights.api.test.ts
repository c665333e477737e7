/** Whole programs in this process that have the rights of their charts, and no other. */
import { BackupPolicies, MySQLClusters } from "@moco-ts/api";
import { testCluster, testJobConfig, testPolicy } from "@moco-ts/api/testing";
import { Metrics, silentLogger, systemClock } from "@moco-ts/base";
import { connect, loadKubeconfig, type Client, type ClusterConfig, type Manager } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { readConfig as readAutoresizerConfig } from "../../packages/autoresizer/config.ts";
import { createAutoresizer } from "../../packages/autoresizer/wire.ts";
import { readConfig as readOperatorConfig } from "../../packages/operator/config.ts";
import { createOperator } from "../../packages/operator/wire.ts";
import { charts, type ChartName } from "./charts.ts";
import { forbiddenRequests } from "./forbidden.ts";
import { helm } from "./helm.ts";
import { ChartServer } from "./testing/server.ts";

vi.setConfig({ testTimeout: 180_000 });
const patience = { timeout: 60_000, interval: 200 };

let server: ChartServer;
let admin: ClusterConfig;
let client: Client;

beforeAll(async () => {
  server = await ChartServer.start({ controllers: true });
  admin = await loadKubeconfig({ environment: {}, path: server.kubeconfigPath });
  client = connect(admin, { qps: Infinity });
});

afterAll(async () => {
  await client?.close();
  await server?.stop();
});

/** Installs a chart whose Pods never come, and whose webhooks nobody misses. */
async function install(chart: ChartName, namespace: string, values: object): Promise<void> {
  const { kubeconfigPath } = server;
  const place = ["--namespace", namespace, "--create-namespace", "--wait=hookOnly"];
  await helm(["install", chart, charts[chart], ...place], { kubeconfigPath, values });
  const { items } = await server.get<{ items: Configuration[] }>(
    "mutatingwebhookconfigurations,validatingwebhookconfigurations",
  );
  for (const { kind, metadata, webhooks } of items) {
    const patch = { webhooks: webhooks.map(({ name }) => ({ name, failurePolicy: "Ignore" })) };
    await server.kubectl(["patch", kind, metadata.name, "-p", JSON.stringify(patch)]);
  }
}

interface Configuration {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly { readonly name: string; readonly clientConfig: { readonly caBundle?: string } }[];
}

/** What a program in a Pod is given. */
function surroundings(namespace: string, account: string) {
  const user = `system:serviceaccount:${namespace}:${account}`;
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  const credentials = { ...admin.credentials, impersonate: { user, groups } };
  return { cluster: { ...admin, credentials }, logger: silentLogger, metrics: new Metrics(), clock: systemClock };
}

/** Runs a program until the test ends. Returns what ends it before. */
function start(program: Manager): () => Promise<void> {
  const ending = new AbortController();
  const running = program.run(ending.signal);
  const stop = async (): Promise<void> => {
    ending.abort(new Error("the test is over"));
    await running;
  };
  onTestFinished(stop);
  return stop;
}

const exists = (...args: string[]): Promise<boolean> =>
  server.kubectl(["get", ...args]).then(
    () => true,
    () => false,
  );

const isTrusted = async (configuration: string): Promise<boolean> => {
  const { webhooks } = await server.get<Configuration>(configuration);
  return webhooks.every(({ clientConfig }) => clientConfig.caBundle !== undefined);
};

test("the controller may do all that it does: a cluster with backup and restore comes, changes and goes", async () => {
  const system = "moco-system";
  await install("moco", system, {});
  const flags = ["--metrics-addr=0", "--health-probe-addr=0", "--webhook-addr=127.0.0.1:0"];
  const config = readOperatorConfig(flags, { POD_NAMESPACE: system });
  const stop = start(createOperator(config, surroundings(system, "moco-controller-manager")));

  await client.create(BackupPolicies, testPolicy());
  const restore = {
    sourceName: "old",
    sourceNamespace: "default",
    restorePoint: "2026-01-01T00:00:00Z",
    jobConfig: testJobConfig(),
  };
  await client.create(
    MySQLClusters,
    testCluster({ replicas: 3, backupPolicyName: "test", restore, collectors: ["x"] }),
  );
  for (const object of ["statefulset/moco-test", "cronjob/moco-backup-test", "role/moco-backup-test"]) {
    await expect.poll(() => exists(object), patience).toBe(true);
  }
  for (const object of ["job/moco-restore-test", "rolebinding/moco-restore-test", "pdb/moco-test"]) {
    await expect.poll(() => exists(object), patience).toBe(true);
  }
  await expect
    .poll(() => isTrusted("validatingwebhookconfigurations/moco-validating-webhook-configuration"), patience)
    .toBe(true);

  // The StatefulSet is made anew, the CronJob goes.
  const { metadata } = await server.get<{ metadata: { uid: string } }>("statefulset/moco-test");
  const volumeClaimTemplates = testCluster().spec.volumeClaimTemplates.map((template) => ({
    ...template,
    spec: { resources: { requests: { storage: "2Gi" } } },
  }));
  const body = { spec: { volumeClaimTemplates, backupPolicyName: null } };
  await client.patch(MySQLClusters, { namespace: "default", name: "test" }, { type: "merge", body });
  await expect.poll(() => exists("cronjob/moco-backup-test"), patience).toBe(false);
  const uid = async (): Promise<string> =>
    (await server.kubectl(["get", "statefulset/moco-test", "-o", "jsonpath={.metadata.uid}", "--ignore-not-found"]))
      .output;
  await expect.poll(uid, patience).not.toBe(metadata.uid);

  await server.kubectl(["delete", "mysqlcluster/test", "--timeout=60s"]);
  await stop();
  expect(await forbiddenRequests(server.auditLogPath, system)).toEqual([]);

  // It would have been seen.
  const account = `system:serviceaccount:${system}:moco-controller-manager`;
  await expect(server.kubectl(["get", "nodes", "--as", account])).rejects.toThrow(/forbidden/);
  expect(await forbiddenRequests(server.auditLogPath, system)).toEqual([expect.stringContaining("list /api/v1/nodes")]);
});

test("the autoresizer may do all that it does", async () => {
  const system = "pvc-autoresizer";
  const args = { useK8sMetricsApi: true, namespaces: ["default"] };
  await install("pvc-autoresizer", system, { controller: { args } });
  const flags = [
    "--metrics-addr=0",
    "--health-addr=0",
    "--webhook-addr=127.0.0.1:0",
    "--cert-dir=",
    "--interval=200ms",
  ];
  const source = ["--use-k8s-metrics-api", "--namespaces=default"];
  const config = readAutoresizerConfig([...flags, ...source], { POD_NAMESPACE: system });
  const around = surroundings(system, "pvc-autoresizer-controller");
  const stop = start(createAutoresizer(config, around));
  const rounds = async (): Promise<number> =>
    Number(/reconcile_total\{.*result="success".*\} (\d+)/.exec(await around.metrics.text())?.[1] ?? 0);
  await expect.poll(rounds, patience).toBeGreaterThan(2);
  const configuration = "mutatingwebhookconfigurations/pvc-autoresizer-mutating-webhook-configuration";
  await expect.poll(() => isTrusted(configuration), patience).toBe(true);
  await stop();
  expect(await forbiddenRequests(server.auditLogPath, system)).toEqual([]);
});
