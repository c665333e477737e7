import { MySQLClusters } from "@moco-ts/api";
import { installDefinitions, testCluster } from "@moco-ts/api/testing";
import { Metrics, silentLogger, systemClock } from "@moco-ts/base";
import { connect, loadKubeconfig, Namespaces, StatefulSets, type Client } from "@moco-ts/kube";
import { createCountedUser, startControlPlane, type CountedUser } from "@moco-ts/local-kubernetes";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "./config.ts";
import { createOperator } from "./wire.ts";

const clusterCount = 50;
const namespace = "shop";
/** Milliseconds. Several regular checks of every cluster are due in that time. */
const idleTime = 20_000;
const checkInterval = "5s";
const patience = { timeout: 120_000, interval: 500 };

test("an idle controller with 50 clusters makes no request but for its lease", { timeout: 300_000 }, async () => {
  const { client, user } = await surroundings();
  startOperator(user);
  for (let index = 0; index < clusterCount; index++) {
    const metadata = { name: `cluster-${index}`, namespace, finalizers: ["moco.cybozu.com/mysqlcluster"] };
    await client.create(MySQLClusters, testCluster({ replicas: 3 }, metadata));
  }
  const made = async () => (await client.list(StatefulSets, { namespace, metadataOnly: true })).items.length;
  await expect.poll(made, patience).toBe(clusterCount);
  await untilQuiet(user);

  const before = await user.requests();
  await delay(idleTime);
  const after = await user.requests();
  expect(after.others - before.others).toBe(0);
  expect(after.leases).toBeGreaterThan(before.leases);
});

/** A control plane of its own: on a shared one, others' clusters come and go. */
async function surroundings(): Promise<{ client: Client; user: CountedUser }> {
  const controlPlane = await startControlPlane({ name: "idle", controllerManager: true });
  onTestFinished(() => controlPlane.stop());
  const config = await loadKubeconfig({ environment: {}, path: controlPlane.kubeconfigPath });
  const client = connect(config, { qps: Infinity });
  onTestFinished(() => client.close());
  await installDefinitions(client);
  await client.create(Namespaces, { metadata: { name: namespace } });
  return { client, user: await createCountedUser(client, config, "operator") };
}

function startOperator({ config: cluster }: CountedUser): void {
  const quiet = ["--metrics-addr=0", "--health-probe-addr=0", "--webhook-addr=0", "--apiserver-qps-throttle=1000"];
  const config = readConfig([...quiet, `--check-interval=${checkInterval}`], { POD_NAMESPACE: "default" });
  const stopping = new AbortController();
  const operator = createOperator(config, {
    cluster,
    logger: silentLogger,
    metrics: new Metrics(),
    clock: systemClock,
  });
  const running = operator.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort(new Error("the test is over"));
    await running;
  });
}

/** Until a few seconds have passed without a request. */
async function untilQuiet(user: CountedUser): Promise<void> {
  let last = -1;
  const isQuiet = async () => {
    const { others } = await user.requests();
    const quiet = others === last;
    last = others;
    return quiet;
  };
  await expect.poll(isQuiet, { ...patience, interval: 5_000 }).toBe(true);
}
