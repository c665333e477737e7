import type { Pod } from "@moco-ts/kube";
import { startProblems } from "../reconciliation/starting/problems.ts";

/** What keeps a Pod from becoming Ready, for people; undefined if nothing is seen to fail. */
export function problemOf(pod: Pod): string | undefined {
  const { phase, reason, message, conditions = [] } = pod.status ?? {};
  if (phase === "Failed") return `it has ended (${reason ?? "Failed"})${message ? `: ${message}` : ""}`;
  if (conditions.some(({ type, status }) => type === "Ready" && status === "True")) return undefined;
  const scheduled = conditions.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False" && scheduled.reason === "Unschedulable") {
    return `no node takes it: ${scheduled.message ?? ""}`;
  }
  const [problem] = startProblems([pod]);
  return problem && `container ${problem.container} does not start: ${problem.text}`;
}
