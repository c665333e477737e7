import type { GtidSet } from "../gtidset/gtidset.ts";

/** What an instance says of itself, all of it read within one look. */
export interface InstanceState {
  readonly uuid: string;
  readonly serverId: number;
  /** Transactions that are in its data. Read last, so that what is compared with it is not newer. */
  readonly executed: GtidSet;
  /** Transactions that are about to be: commits that wait for acknowledgements are among them. */
  readonly committing: GtidSet;
  /** Transactions that its binary logs no longer have. */
  readonly purged: GtidSet;
  readonly readOnly: boolean;
  /** Holds only together with read_only: one without the other may be on its way to both. */
  readonly superReadOnly: boolean;
  /** Clients are locked out. */
  readonly offlineMode: boolean;
  /** Process 1 is ending mysqld, or the agent is still preparing it: it must not be opened. */
  readonly stopping: boolean;
  /** Seconds since mysqld has been started. */
  readonly uptime: number;
  readonly source: SourceSide;
  readonly replica: ReplicaSide | undefined;
  /** Whether acknowledgements are sent from the next connection to a source on. */
  readonly acknowledges: boolean;
  /** Undefined if this instance was never the recipient of a clone. */
  readonly clone: CloneState | undefined;
  /** Whether all that `enforceSettings` sets is so. */
  readonly enforced: boolean;
  /** The file with whom it trusts, as it was told by its options. Empty if by none. */
  readonly authorityFile: string;
  /** Settings of the user's by which acknowledged transactions could be lost, as `name=value`. Empty if all is well. */
  readonly dangers: readonly string[];
}

/** Semi-synchronous replication as a source. */
export interface SourceSide {
  readonly enabled: boolean;
  /** False once it has given up waiting for acknowledgements, and if it is not enabled. */
  readonly active: boolean;
  /** Acknowledgements that a commit waits for. */
  readonly acknowledgements: number;
  /** Sessions that wait for one, clients that were killed included. */
  readonly waitingSessions: number;
  /** Replicas whose acknowledgements count. */
  readonly acknowledgingReplicas: number;
  /** server_uuids of everybody who receives the binary log. */
  readonly receivers: readonly string[];
}

export interface ReplicaSide {
  readonly sourceHost: string;
  /** Undefined until the first connection. */
  readonly sourceUuid: string | undefined;
  /** `connecting`: it goes on trying. */
  readonly receiving: "yes" | "no" | "connecting";
  readonly applying: boolean;
  readonly receiveError: string | undefined;
  readonly applyError: string | undefined;
  /** The applier was stopped in the middle of a transaction, which it begins again when it is started. */
  readonly interrupted: boolean;
  /** Transactions that are in its relay log, executed or not. */
  readonly retrieved: GtidSet;
  /** Null while it is not known. */
  readonly secondsBehind: number | null;
  /** By its own clock: milliseconds since the source was last heard. Undefined if it never was. */
  readonly heardAgo: number | undefined;
  /** A transaction is being received right now. */
  readonly queueing: boolean;
  /** Whether the connection is encrypted, and the source known by its certificate. */
  readonly secure: boolean;
  /** Whether a silent source is noticed within seconds: the connection has our heartbeat and retries. */
  readonly attentive: boolean;
}

export interface CloneState {
  readonly state: "Not Started" | "In Progress" | "Completed" | "Failed";
  readonly error: string | undefined;
}

/** All that an instance has, executed or not. */
export function receivedBy({ executed, replica }: InstanceState): GtidSet {
  return replica === undefined ? executed : executed.union(replica.retrieved);
}
