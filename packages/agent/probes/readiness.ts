import { formatDuration } from "@moco-ts/base";
import { ok, unavailable, type Answer } from "./answers.ts";

/** What one look at mysqld gives. */
export interface Observation {
  /** Of the last clone into this instance; undefined if there was none. */
  readonly cloneState: string | undefined;
  readonly readOnly: boolean;
  /** Milliseconds since mysqld started. */
  readonly uptime: number;
  /** undefined if the instance is no replica; not looked at on an instance that may be written. */
  readonly replica: ReplicaObservation | undefined;
}

export interface ReplicaObservation {
  readonly receiverRunning: boolean;
  readonly applierRunning: boolean;
  readonly receiverError: number;
  readonly applierError: number;
  /** Milliseconds from the last transaction that was applied to the last one received, by their source's clock. */
  readonly delay: number | undefined;
  /** Whether every transaction that was received is applied. */
  readonly allApplied: boolean;
  /** Changes whenever the receiver starts. */
  readonly receiver: string;
  readonly heartbeats: number;
  /** How far the receiver has read the source's binary log. */
  readonly position: string;
}

export interface ReadinessRules {
  /** Milliseconds; 0 accepts any delay. */
  readonly maxDelay: number;
  readonly queueingWait: number;
  /** Whether the wait may end early where it is proven needless. */
  readonly waitEndsEarly: boolean;
}

/**
 * Whether clients may read from the instance. `before` is what was seen at the last look.
 *
 * After its start a replica that has received nothing may be far behind without knowing it. It waits for a while, unless
 * the source shows that there is nothing to send: while it has nothing, it sends heartbeats, and its position stays.
 */
export function judge(now: Observation, before: Observation | undefined, rules: ReadinessRules): Answer {
  const { cloneState, readOnly, uptime, replica } = now;
  if (cloneState !== undefined && cloneState !== "Completed") return unavailable(`a clone is ${cloneState}`);
  if (!readOnly) return ok;
  if (replica === undefined) return { status: 500, text: "the instance is read-only, but no replica" };
  const { receiverRunning, applierRunning, receiverError, applierError, delay } = replica;
  if (!receiverRunning || !applierRunning || receiverError !== 0 || applierError !== 0) {
    const threads = `receiver ${state(receiverRunning, receiverError)}, applier ${state(applierRunning, applierError)}`;
    return unavailable(`replication does not run: ${threads}`);
  }
  if (rules.maxDelay === 0) return ok;
  if (delay === undefined) {
    const early = rules.waitEndsEarly && isIdle(replica, before?.replica);
    if (uptime >= rules.queueingWait || early) return ok;
    return unavailable(`no transaction was received since mysqld started ${formatDuration(uptime)} ago`);
  }
  if (delay < rules.maxDelay) return ok;
  return unavailable(`the replica is ${formatDuration(delay)} behind, and may be ${formatDuration(rules.maxDelay)}`);
}

/** A source that passes over what the replica has sends heartbeats too, but then its position moves. */
function isIdle(now: ReplicaObservation, before: ReplicaObservation | undefined): boolean {
  if (before === undefined || !now.allApplied) return false;
  return now.receiver === before.receiver && now.heartbeats > before.heartbeats && now.position === before.position;
}

function state(running: boolean, error: number): string {
  return `${running ? "runs" : "is stopped"}${error === 0 ? "" : ` with error ${error}`}`;
}
