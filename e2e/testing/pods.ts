import { clusterLabels, formatSelector } from "@moco-ts/api";
import { connect, createInformer, loadKubeconfig, Pods, type Informer, type Pod } from "@moco-ts/kube";
import type { OperatorCluster } from "./operator-cluster.ts";

/** How many times as long everything may take: with KILL=1 controllers are killed again and again. */
export const slowness = process.env["KILL"] ? 4 : 1;

/** For `expect.poll`: long enough for a few mysqld on a busy machine. */
export const patience = { timeout: 120_000 * slowness, interval: 500 };

/** The pods of a MySQLCluster. */
export function podsOf(cluster: OperatorCluster, name: string, namespace = "default"): Promise<Pod[]> {
  return cluster.list<Pod>("pods", "-n", namespace, "-l", `app.kubernetes.io/instance=${name}`);
}

/** The pods of a MySQLCluster that have these labels, kept up to date until the signal. */
export async function followPods(
  { local }: OperatorCluster,
  name: string,
  labels: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Informer<Pod>> {
  const client = connect(await loadKubeconfig({ environment: {}, path: local.kubeconfigPath }));
  const labelSelector = formatSelector({ ...clusterLabels(name), ...labels });
  const informer = createInformer(client, Pods, { namespaces: ["default"], labelSelector });
  void informer.run(signal).then(() => client.close());
  await informer.waitForSync(signal);
  return informer;
}

/** How many pods have all their containers started, which for mysqld means that it answers the agent. */
export async function startedPods(cluster: OperatorCluster, name: string, namespace?: string): Promise<number> {
  const pods = await podsOf(cluster, name, namespace);
  return pods.filter(({ status }) => {
    const containers = status?.containerStatuses ?? [];
    return containers.length > 0 && containers.every(({ started }) => started);
  }).length;
}
