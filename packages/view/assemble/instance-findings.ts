import { podHostName } from "@moco-ts/api";
import type { InstanceReport, ReplicaReport } from "../instances/report.ts";
import type { Finding, InstanceView } from "../model.ts";
import type { Facts } from "./findings.ts";

type Content = Omit<Finding, "instance">;

/** Sources send a sign of life every second. */
const longestSilence = 5;

/** What is wrong with one instance, or what is going on with it. */
export function instanceFindings(view: Facts, instance: InstanceView): Finding[] {
  const { mysqld } = instance;
  const said = mysqld.answered ? [...reportFindings(view, instance, mysqld)] : [silenceOf(instance, mysqld.reason)];
  const findings: Content[] = [
    ...podFindings(instance),
    ...said,
    ...requestFindings(instance),
    ...errantFindings(instance),
  ];
  return findings.map((finding) => ({ instance: instance.index, ...finding }));
}

/** Why mysqld says nothing. A Pod that comes or goes is no error. */
function silenceOf({ status, problem }: InstanceView, reason: string): Content {
  if (status === "Terminating") return { level: "warning", text: "is ending" };
  if (problem === undefined && /^(Init:|Pending$)/.test(status))
    return { level: "note", text: `is starting (${status})` };
  return { level: "error", text: `mysqld can't be asked: ${reason}` };
}

function podFindings({ status, problem, mysqld, isPrimary, role, ready, votes }: InstanceView): Content[] {
  const findings: Content[] = [];
  // What keeps mysqld from running is told as the reason why it can't be asked.
  if (problem && mysqld.answered) findings.push({ level: "warning", text: `${status}: ${problem}` });
  if (isPrimary && ready && role !== "primary") {
    findings.push({ level: "warning", text: "is the primary, and the Services do not know it yet" });
  }
  if (ready && votes === false) findings.push({ level: "note", text: "acknowledges nothing that counts yet" });
  return findings;
}

function* reportFindings(view: Facts, { isPrimary, index }: InstanceView, report: InstanceReport): Generator<Content> {
  const { source, replica, clone } = report;
  if (clone?.state === "In Progress") yield { level: "note", text: "is being cloned into" };
  if (clone?.state === "Failed")
    yield { level: "error", text: `could not be cloned into: ${clone.error ?? "no reason given"}` };
  if (report.offlineMode) yield { level: "warning", text: "locks all clients out (offline_mode)" };
  if (isPrimary) {
    if (report.readOnly && !view.replicationSource)
      yield { level: "warning", text: "is the primary and takes no writes (read_only)" };
    if (source.enabled && !source.active)
      yield { level: "error", text: "answers clients without waiting for replicas" };
    if (source.waitingSessions > 0 && source.acknowledgingReplicas < source.acknowledgements) {
      const { waitingSessions, acknowledgingReplicas, acknowledgements } = source;
      const text = `${waitingSessions} commits wait: ${acknowledgingReplicas} replicas acknowledge, ${acknowledgements} must`;
      yield { level: "error", text };
    }
    return;
  }
  if (!report.readOnly) yield { level: "error", text: "is not the primary and takes writes" };
  if (replica) yield* replicaFindings(view, replica);
  else if (view.primary !== undefined && view.primary !== index) yield { level: "warning", text: "follows nobody" };
}

function* replicaFindings(view: Facts, replica: ReplicaReport): Generator<Content> {
  const { sourceHost, receiving, receiveError, applying, applyError, heardAgo = 0 } = replica;
  const because = (error: string | undefined): string => (error ? `: ${error}` : "");
  if (view.primary !== undefined && sourceHost !== podHostName(view, view.primary)) {
    yield { level: "warning", text: `follows ${sourceHost}, which is not the primary` };
  }
  if (receiving !== "yes") {
    const doing = receiving === "connecting" ? "tries to connect to" : "receives nothing from";
    yield { level: "warning", text: `${doing} ${sourceHost}${because(receiveError)}` };
  } else if (heardAgo > longestSilence) {
    yield { level: "warning", text: `has not heard of its source for ${Math.round(heardAgo)} s` };
  }
  if (!applying) yield { level: "warning", text: `does not apply what it receives${because(applyError)}` };
}

function requestFindings({ requests }: InstanceView): Content[] {
  const findings: Content[] = [];
  const successor = requests["switchover-to"];
  if (requests["demote"]) {
    const text = `is asked to hand its role over${successor ? ` to instance ${successor}` : ""}`;
    findings.push({ level: "note", text });
  }
  if (requests["reclone"]) findings.push({ level: "note", text: "is to get its data anew from another instance" });
  if (requests["prevent-delete"]) {
    findings.push({ level: "note", text: "must not be deleted now, as a replica is too far behind" });
  }
  return findings;
}

function errantFindings({ errant, isErrant, pod }: InstanceView): Content[] {
  if (!errant && !isErrant) return [];
  const text = errant
    ? `has ${errant.transactions} transactions that the primary does not have: ${errant.gtids}`
    : "was found to have transactions that the primary does not have";
  const advice = `Save what you need of them. Then let its data be replaced by a copy: kubectl moco reclone ${pod}`;
  return [{ level: "error", text, advice }];
}
