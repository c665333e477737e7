import type { Pod } from "@moco-ts/kube";
import { systemNamespace, type OperatorCluster } from "../testing/index.ts";

/** How often the controllers that run now have reconciled a cluster with success. Throws if one does not answer. */
export async function reconciles(cluster: OperatorCluster): Promise<number> {
  const pods = await cluster.list<Pod>("pods", "-n", systemNamespace, "-l", "app.kubernetes.io/name=moco");
  const counts = pods.map(async ({ status }) => {
    const answer = await fetch(`http://${status!.podIP}:8080/metrics`);
    const succeeded = /^controller_runtime_reconcile_total\{.*controller="mysqlcluster".*result="success".*\} (\d+)/m;
    return Number(succeeded.exec(await answer.text())?.[1] ?? 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
