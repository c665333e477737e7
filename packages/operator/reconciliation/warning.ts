import type { ConditionContent, MySQLCluster } from "@moco-ts/api";
import type { EventContent } from "@moco-ts/kube";

/** What a condition that is not as it should be is worth to be told: nothing, if it said the same before. */
export function warningOf({ status }: MySQLCluster, now: ConditionContent): EventContent[] {
  const before = status?.conditions?.find(({ type }) => type === now.type);
  if (now.status !== "False" || (before?.status === "False" && before.message === now.message)) return [];
  return [{ type: "Warning", reason: now.reason, message: now.message }];
}
