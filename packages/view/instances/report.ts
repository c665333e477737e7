import { CodedError } from "@moco-ts/base";
import { GtidSet } from "@moco-ts/mysql";

/** What an instance says of itself. */
export interface InstanceReport {
  readonly version: string;
  readonly uuid: string;
  readonly serverId: number;
  /** Seconds since mysqld has been started. */
  readonly uptime: number;
  /** Sets of GTIDs, in MySQL's notation. */
  readonly executed: string;
  readonly purged: string;
  readonly readOnly: boolean;
  readonly superReadOnly: boolean;
  readonly offlineMode: boolean;
  /** Semi-synchronous replication as a source. */
  readonly source: SourceReport;
  /** Undefined: it is nobody's replica. */
  readonly replica?: ReplicaReport;
  /** Undefined: it was never cloned into. */
  readonly clone?: CloneReport;
}

/** What came of asking: by index, a report or the reason why there is none. */
export type Answers = ReadonlyMap<number, Answer>;
export type Answer = InstanceReport | { readonly reason: string };

export interface SourceReport {
  readonly enabled: boolean;
  /** False once it has given up waiting for acknowledgements, and if it is not enabled. */
  readonly active: boolean;
  /** Acknowledgements that a commit waits for. */
  readonly acknowledgements: number;
  readonly waitingSessions: number;
  readonly acknowledgingReplicas: number;
}

export interface ReplicaReport {
  readonly sourceHost: string;
  readonly receiving: "yes" | "no" | "connecting";
  readonly receiveError?: string;
  readonly applying: boolean;
  readonly applyError?: string;
  /** A set of GTIDs: what has been received, applied or not. */
  readonly retrieved: string;
  /** Seconds by which what it applies is older than now. Undefined if it can't tell. */
  readonly lag?: number;
  /** Seconds since its source was last heard. Undefined if it never was. */
  readonly heardAgo?: number;
}

export interface CloneReport {
  readonly state: string;
  readonly error?: string;
}

/** As the queries give it. Numbers that MySQL keeps as text are text. */
interface Row {
  readonly version: string;
  readonly uuid: string;
  readonly serverId: number;
  readonly executed: string;
  readonly purged: string;
  readonly readOnly: number;
  readonly superReadOnly: number;
  readonly offlineMode: number;
  readonly variables: Readonly<Record<string, string>> | null;
  readonly status: Readonly<Record<string, string>> | null;
  readonly replica: ReplicaRow | null;
}

interface ReplicaRow {
  readonly sourceHost: string;
  readonly receiver: "ON" | "OFF" | "CONNECTING";
  readonly receiveError: string;
  readonly applier: "ON" | "OFF";
  readonly coordinatorError: string | null;
  readonly workerError: string | null;
  readonly retrieved: string;
  readonly applyingAge: number | null;
  readonly queuedAge: number | null;
  readonly heartbeatAge: number | null;
  readonly receivedAge: number | null;
}

/** Of the lines that an instance answered with. Throws if they are not what was asked for. */
export function reportOf(row: unknown, clone: unknown): InstanceReport {
  if (!isRow(row)) throw new CodedError("INSTANCE_REPORT_INVALID", "mysql printed something else than it was asked");
  const { version, uuid, serverId, replica } = row;
  const executed = GtidSet.parse(row.executed);
  const cloneReport = cloneReportOf(clone);
  return {
    version,
    uuid,
    serverId,
    uptime: Number(row.status?.["Uptime"] ?? 0),
    executed: executed.toString(),
    purged: GtidSet.parse(row.purged).toString(),
    readOnly: row.readOnly === 1,
    superReadOnly: row.superReadOnly === 1,
    offlineMode: row.offlineMode === 1,
    source: sourceReportOf(row),
    ...(replica && { replica: replicaReportOf(replica, executed) }),
    ...(cloneReport && { clone: cloneReport }),
  };
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && "uuid" in value && "executed" in value;
}

/** Older servers, and plugins under their old names, say master and slave. */
function sourceReportOf({ variables, status }: Row): SourceReport {
  const find = (values: Readonly<Record<string, string>> | null, name: string): string | undefined =>
    Object.entries(values ?? {}).find(([key]) => modern(key) === name)?.[1];
  return {
    enabled: find(variables, "rpl_semi_sync_source_enabled") === "ON",
    active: find(status, "rpl_semi_sync_source_status") === "ON",
    acknowledgements: Number(find(variables, "rpl_semi_sync_source_wait_for_replica_count") ?? 0),
    waitingSessions: Number(find(status, "rpl_semi_sync_source_wait_sessions") ?? 0),
    acknowledgingReplicas: Number(find(status, "rpl_semi_sync_source_clients") ?? 0),
  };
}

function modern(name: string): string {
  return name.toLowerCase().replaceAll("master", "source").replaceAll("slave", "replica");
}

function replicaReportOf(row: ReplicaRow, executed: GtidSet): ReplicaReport {
  const retrieved = GtidSet.parse(row.retrieved);
  const applyError = row.coordinatorError || row.workerError;
  // What is not yet applied is as old as the transaction that is being applied, or at least as the last one received.
  const lag = executed.contains(retrieved) ? 0 : (row.applyingAge ?? row.queuedAge);
  const heard = [row.heartbeatAge, row.receivedAge].filter((age) => age !== null);
  return {
    sourceHost: row.sourceHost,
    receiving: receiving[row.receiver],
    ...(row.receiveError && { receiveError: row.receiveError }),
    applying: row.applier === "ON",
    ...(applyError && { applyError }),
    retrieved: retrieved.toString(),
    ...(lag !== null && { lag: Math.max(lag, 0) }),
    ...(heard.length > 0 && { heardAgo: Math.max(Math.min(...heard), 0) }),
  };
}

const receiving = { ON: "yes", OFF: "no", CONNECTING: "connecting" } as const;

function cloneReportOf(value: unknown): CloneReport | undefined {
  if (typeof value !== "object" || value === null || !("state" in value)) return undefined;
  const { state, error } = value as { state: string; error?: string | null };
  return { state, ...(error && { error }) };
}
