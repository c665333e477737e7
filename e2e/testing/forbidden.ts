import { forbiddenRequests } from "@moco-ts/helm";
import type { Cluster } from "@moco-ts/local-kubernetes";

/** Fails a test whose programs asked for more than their chart gives them. */
export async function assertNothingForbidden(cluster: Cluster, namespace: string): Promise<void> {
  if (cluster.auditLogPath === undefined) throw new Error(`cluster ${cluster.name} has no audit log`);
  const requests = await forbiddenRequests(cluster.auditLogPath, namespace);
  if (requests.length > 0) throw new Error(`the chart's roles forbid what was asked for: ${requests.join(", ")}`);
}
