/**
 * A cluster of three on a real node while clients write through its primary Service: how long until it is healthy, how
 * long nobody can write when its primary fails in one way or another, and what it costs when nothing happens. The peer is
 * MOCO 0.36 with its default flags, measured in the same way on an idle machine of two cores; its figures are fixed here.
 * Times are worth something only where nothing else runs; lost rows and requests are the same anywhere.
 */
import { setTimeout as delay } from "node:timers/promises";
import { connect, loadKubeconfig } from "@moco-ts/kube";
import { countRequests } from "@moco-ts/local-kubernetes";
import {
  distribution,
  faults,
  leaderPod,
  manifest,
  startOperatorCluster,
  strike,
  systemNamespace,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../e2e/testing/index.ts";

export const clusteringDefaults = { rounds: 10 };

/** Seconds, by what happens; undefined: not measured. */
const moco: Readonly<Record<string, number | undefined>> = {
  switchover: 2.4,
  "kill -9": 12,
  SIGSTOP: 332,
  "pod delete --force": 1,
};
const mocoHealthy = 81;
const cluster = "three";
const idleMinutes = 1;

export async function benchClustering({ rounds }: typeof clusteringDefaults): Promise<void> {
  const operator = await startOperatorCluster({ name: "bench-clustering" });
  try {
    await measureStart(operator);
    await measureIdle(operator);
    await measureFaults(operator, rounds);
  } finally {
    await operator.down();
  }
}

async function measureStart(operator: OperatorCluster): Promise<void> {
  const annotations = { "moco.cybozu.com/auto-reclone-errant": "true" };
  const began = performance.now();
  await operator.apply(manifest({ name: cluster, replicas: 3, annotations }));
  await waitForCondition(operator, cluster, "Healthy");
  const seconds = (performance.now() - began) / 1000;
  console.log(`apply to Healthy: ${seconds.toFixed(1)} s, ${ratio(seconds, mocoHealthy)}`);
}

async function measureIdle(operator: OperatorCluster): Promise<void> {
  const config = await loadKubeconfig({ environment: {}, path: operator.local.kubeconfigPath });
  const client = connect(config);
  const serviceAccount = { namespace: systemNamespace, name: "moco-controller-manager" };
  const requests = await countRequests(client, "bench-idle", { kind: "ServiceAccount", serviceAccount });
  // What the last step of the start has caused comes to its end first.
  await delay(20_000);
  const look = async () => ({
    ...(await requests()),
    ...(await processOf(operator)),
    statements: await statements(operator),
  });
  const before = await look();
  await delay(idleMinutes * 60_000);
  const after = await look();
  await client.close();
  const each = (after.statements - before.statements) / 3 / idleMinutes;
  console.log(
    `idle, in a minute: ${after.others - before.others} API requests beside ${after.leases - before.leases} for leases ` +
      `(MOCO 2), ${(after.cpu - before.cpu).toFixed(2)} s of CPU (MOCO 0.09), ${each.toFixed(0)} statements per instance; ` +
      `${after.resident.toFixed(0)} MiB resident (MOCO 55)`,
  );
}

async function measureFaults(operator: OperatorCluster, rounds: number): Promise<void> {
  const writer = await Writer.start(operator, cluster);
  for (const fault of faults) {
    const pauses: number[] = [];
    for (let round = 0; round < rounds; round++) {
      // At any moment of whatever has a period.
      await delay(1_000 + Math.random() * 2_000);
      const { pod, pause } = await strike(operator, cluster, writer, fault);
      pauses.push(pause);
      await renew(operator, pod);
    }
    const { median, p95, most } = distribution(pauses);
    const peer = moco[fault.name];
    console.log(
      `${fault.name}: nobody writes for ${(median / 1000).toFixed(1)} s (median of ${rounds}), ` +
        `${(p95 / 1000).toFixed(1)} (p95), ${(most / 1000).toFixed(1)} (most)` +
        (peer === undefined ? "" : `, ${ratio(median / 1000, peer)}`),
    );
  }
  const { acknowledged, lost } = await writer.stop();
  console.log(`acknowledged rows ${acknowledged}, of which lost ${lost.length}`);
}

/** A container that ended is started later each time: a Pod that is made anew begins with no such delay. */
async function renew(operator: OperatorCluster, pod: string): Promise<void> {
  const restarts = 'jsonpath={.status.containerStatuses[?(@.name=="mysqld")].restartCount}';
  if ((await operator.kubectl("get", "pod", pod, "-o", restarts)) === "0") return;
  await operator.kubectl("delete", "pod", pod);
  await waitForCondition(operator, cluster, "Healthy", "False");
  await waitForCondition(operator, cluster, "Healthy");
}

/** Of the controller that acts: seconds of CPU so far, and MiB. */
async function processOf(operator: OperatorCluster): Promise<{ cpu: number; resident: number }> {
  const path = `/api/v1/namespaces/${systemNamespace}/pods/${await leaderPod(operator)}:8080/proxy/metrics`;
  const text = await operator.kubectl("get", "--raw", path);
  const value = (metric: string): number => Number(new RegExp(`^${metric} (.+)$`, "m").exec(text)?.[1]);
  return { cpu: value("process_cpu_seconds_total"), resident: value("process_resident_memory_bytes") / 2 ** 20 };
}

/** That all instances have carried out so far, probes of agents included. */
async function statements(operator: OperatorCluster): Promise<number> {
  const sql = "SELECT VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Questions'";
  const counts = [0, 1, 2].map((ordinal) => operator.query(`moco-${cluster}-${ordinal}`, sql));
  return (await Promise.all(counts)).reduce((sum, count) => sum + Number(count), 0);
}

function ratio(ours: number, peer: number): string {
  return `${(ours / peer).toFixed(2)} of MOCO's ${peer} s`;
}
