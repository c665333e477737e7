import { conditionTypes, type ClusterState } from "@moco-ts/api";
import type { ClusterView, ConditionView, Finding } from "../model.ts";
import { instanceFindings } from "./instance-findings.ts";

/** What a view has apart from the conclusions. */
export type Facts = Omit<ClusterView, "findings">;

/** What a person should know or do, the worst first. */
export function findingsOf(view: Facts): Finding[] {
  const findings = [
    ...stateFindings(view),
    ...(view.instances ?? []).flatMap((instance) => instanceFindings(view, instance)),
  ];
  findings.push(...conditionFindings(view), ...rolloutFindings(view), ...volumeFindings(view));
  return findings.sort((one, other) => severity[one.level] - severity[other.level]);
}

const severity = { error: 0, warning: 1, note: 2 } as const;

const states: Partial<Record<ClusterState, Omit<Finding, "instance">>> = {
  Failed: { level: "error", text: "The primary is lost, and the operator makes another instance the primary" },
  Lost: {
    level: "error",
    text: "The primary is lost, and too few others are known to have every acknowledged write",
    advice: "Bring lost instances back: as soon as enough of them answer, the operator goes on by itself.",
  },
  Degraded: { level: "warning", text: "Writes work, but not all replicas are in order" },
  Incomplete: { level: "warning", text: "The operator is putting the instances in order" },
  Cloning: { level: "note", text: "Data are being copied from the source outside of the cluster" },
  Restoring: { level: "note", text: "Data are being restored from a backup" },
};

function stateFindings({ name, state, offline, stopped, conditions }: Facts): Finding[] {
  const findings: Finding[] = [];
  if (offline) {
    const advice = `To bring it back: kubectl patch mysqlcluster ${name} --type=merge -p '{"spec":{"offline":false}}'`;
    const text = "The cluster is offline: its instances are stopped, its volumes are kept";
    findings.push({ level: "note", text, advice });
  } else if (state) {
    const finding = states[state];
    if (finding) findings.push({ ...finding, text: finding.text + explanationOf(conditions) });
  } else if (!stopped.clustering) {
    const text = "No controller has looked at the instances yet";
    findings.push({ level: "warning", text, advice: "See the logs of moco-controller if that stays so." });
  }
  if (stopped.clustering) {
    const text = "Clustering is stopped: nobody repairs replication, and there is no failover";
    findings.push({ level: "warning", text, advice: `To go on: kubectl moco start clustering ${name}` });
  }
  if (stopped.reconciliation) {
    const text = "Reconciliation is stopped: changes of the MySQLCluster have no effect";
    findings.push({ level: "warning", text, advice: `To go on: kubectl moco start reconciliation ${name}` });
  }
  return findings;
}

/** What the operator says beyond the name of the state. */
function explanationOf(conditions: readonly ConditionView[]): string {
  const { message = "" } = conditions.find(({ type }) => type === conditionTypes.healthy) ?? {};
  const colon = message.indexOf(": ");
  return colon < 0 ? "" : message.slice(colon);
}

/** Conditions that tell of a problem, with the status that does. Their messages also say what to do. */
const problems: readonly { type: string; status: string; level: Finding["level"]; reasons?: readonly string[] }[] = [
  { type: conditionTypes.reconcileSuccess, status: "False", level: "error" },
  { type: conditionTypes.instancesStartable, status: "False", level: "error" },
  // What goes its way is told of each volume.
  {
    type: conditionTypes.volumesResized,
    status: "False",
    level: "error",
    reasons: ["ExpansionFailed", "ExpansionNotAllowed"],
  },
  { type: conditionTypes.durable, status: "False", level: "warning" },
  { type: conditionTypes.optionsSound, status: "False", level: "warning" },
];

function conditionFindings({ conditions }: Facts): Finding[] {
  return problems.flatMap(({ type, status, level, reasons }) =>
    conditions
      .filter((each) => each.type === type && each.status === status && (reasons?.includes(each.reason) ?? true))
      .map(({ message }): Finding => ({ level, text: message })),
  );
}

function rolloutFindings({ rollout, offline }: Facts): Finding[] {
  if (rollout?.state === "stopped")
    return [{ level: "error", text: `The rollout has stopped: ${rollout.reason ?? ""}` }];
  if (rollout?.state === "missing" && !offline) {
    return [{ level: "warning", text: "There is no StatefulSet: it is being made, or made anew" }];
  }
  return [];
}

function volumeFindings({ volumes = [], name }: Facts): Finding[] {
  return volumes.flatMap(({ claim, index, phase, conditions, growing, request, capacity }): Finding[] => {
    const about = { instance: index };
    if (phase === "Lost") return [{ ...about, level: "error", text: `The volume of ${claim} is lost` }];
    if (conditions.some(({ type }) => type === "FileSystemResizePending")) {
      const advice = `Restart the Pod: kubectl delete pod moco-${name}-${index}`;
      return [{ ...about, level: "warning", text: `${claim} grows to ${request} once its Pod is restarted`, advice }];
    }
    if (growing) {
      const said = conditions.map(({ type, message }) => (message ? `${type}: ${message}` : type)).join(", ");
      return [
        { ...about, level: "note", text: `${claim} grows from ${capacity} to ${request}${said && ` (${said})`}` },
      ];
    }
    return [];
  });
}
