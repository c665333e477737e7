import { conditionTypes, ordinalOf, podName, type ConditionContent, type MySQLCluster } from "@moco-ts/api";
import type { EventContent } from "@moco-ts/kube";
import type { ClaimPlan, ClaimSize } from "./decide.ts";

/** Reasons of the condition VolumesResized, the one that needs a person most first. */
const reasons = ["ExpansionFailed", "ExpansionNotAllowed", "FileSystemResizePending", "Resizing"] as const;

type Reason = (typeof reasons)[number];

/** Whether every volume has what its template asks for; if not, why, and what a person can do. */
export function volumesCondition(cluster: MySQLCluster, plans: readonly ClaimPlan[]): ConditionContent {
  const type = conditionTypes.volumesResized;
  const observedGeneration = cluster.metadata.generation ?? 0;
  const findings = plans.flatMap((plan) => describe(cluster, plan));
  const reason = reasons.find((each) => findings.some((finding) => finding.reason === each));
  if (reason === undefined) {
    const message = "all volumes have the size that their templates ask for";
    return { type, status: "True", reason: "VolumesResized", message, observedGeneration };
  }
  const ordered = reasons.flatMap((each) => findings.filter((finding) => finding.reason === each));
  const message = ordered.map((finding) => finding.message).join("; ");
  return { type, status: "False", reason, message, observedGeneration };
}

/** What is told as an Event: that a person is needed, and that it is over. */
export function volumesEvent(cluster: MySQLCluster, now: ConditionContent): EventContent | undefined {
  const before = cluster.status?.conditions?.find(({ type }) => type === now.type);
  const changed = before !== undefined && before.reason !== now.reason;
  if (now.status === "True") return changed ? { type: "Normal", reason: now.reason, message: now.message } : undefined;
  if (now.reason === "Resizing" || before?.reason === now.reason) return undefined;
  return { type: "Warning", reason: now.reason, message: now.message };
}

interface Finding {
  readonly reason: Reason;
  readonly message: string;
}

function describe(cluster: MySQLCluster, { claim, size }: ClaimPlan): Finding[] {
  const name = claim.metadata?.name ?? "";
  const pod = podName(cluster.metadata.name, ordinalOf(name) ?? 0);
  const finding = (reason: Reason, message: string) => [{ reason, message: `${name}: ${message}` }];
  switch (size.kind) {
    case "enough":
      return [];
    case "grow":
      return finding("Resizing", `${size.to} is to be asked for, it has ${size.from}`);
    case "growing":
      return finding("Resizing", `grows from ${size.from} to ${size.to}`);
    case "unbound":
      return finding("Resizing", `${size.to} will be asked for once it has a volume`);
    case "restart":
      return finding(
        "FileSystemResizePending",
        `the volume has grown to ${size.to}, its file system grows when the Pod starts anew: ` +
          `restart it at a time of your choice (kubectl delete pod ${pod})`,
      );
    case "fixed":
      return finding("ExpansionNotAllowed", `it can't grow to ${size.to}, as ${explainFixed(size)}`);
    case "failed":
      break;
  }
  return finding("ExpansionFailed", `it could not grow to ${size.to}: ${size.problem}`);
}

function explainFixed({ storageClass }: Extract<ClaimSize, { kind: "fixed" }>): string {
  if (storageClass === "") return "it has no StorageClass. New instances get the new size";
  return (
    `StorageClass ${storageClass} does not exist or does not allow expansion (allowVolumeExpansion). ` +
    "New instances get the new size"
  );
}
