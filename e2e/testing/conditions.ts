import type { MySQLCluster } from "@moco-ts/api";
import type { OperatorCluster } from "./operator-cluster.ts";
import { slowness } from "./pods.ts";

/** `True`, `False` or `Unknown`, and why; undefined if nobody has said anything yet. */
export async function conditionOf(operator: OperatorCluster, cluster: string, type: string) {
  const { status } = await operator.get<MySQLCluster>("mysqlcluster", cluster);
  return status?.conditions?.find((each) => each.type === type);
}

/** Waits until a condition has a status. Says what it was instead if that takes too long. */
export async function waitForCondition(
  operator: OperatorCluster,
  cluster: string,
  type: string,
  wanted: "True" | "False" | "Unknown" = "True",
  limit = 180_000,
): Promise<void> {
  const end = Date.now() + limit * slowness;
  for (;;) {
    const found = await conditionOf(operator, cluster, type);
    if (found?.status === wanted) return;
    if (Date.now() > end) throw new Error(`${type} of ${cluster} is not ${wanted}: ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
