import type { InstanceState } from "@moco-ts/mysql";

/** All that is known of a cluster at one moment. Nothing in it changes. */
export interface Snapshot {
  readonly wanted: Wanted;
  /** `status.currentPrimaryIndex`. */
  readonly primaryIndex: number;
  /** Undefined if nothing was ever recorded: a new cluster, or one that is being adopted. */
  readonly memory: Memory | undefined;
  /** `status.errantReplicaList`: what counts while there is no primary to compare with. */
  readonly errantBefore: readonly number[];
  readonly cloned: boolean;
  readonly restored: boolean;
  /** One for each ordinal, in order. */
  readonly instances: readonly InstanceView[];
  /** server_uuids of mysqld processes that have ended, by the word of their kubelet, and for how many milliseconds. */
  readonly dead: ReadonlyMap<string, number>;
  /** server_uuids that already looked errant at the look before this one. */
  readonly suspects: ReadonlySet<string>;
  /** A switchover has just failed: the cause may need a while to go away. */
  readonly holdSwitchover: boolean;
}

/** What the user asked for. */
export interface Wanted {
  readonly replicas: number;
  readonly offline: boolean;
  /** The cluster copies one outside of it. */
  readonly intermediate: boolean;
  readonly restore: boolean;
  readonly autoReclone: boolean;
  /** server_uuids of mysqld processes that have ended, by the word of a person. */
  readonly ended: readonly string[];
  /** Where instances have the authority that signed their certificates, if it is ours. */
  readonly authorityFile: string;
  /** Seconds; 0: deletion is never prevented. */
  readonly maxDelayForDeletion: number;
}

/**
 * What outlives the operator, in `status.clustering`. It errs on the safe side: `voters` contains at least everybody who
 * may acknowledge, and `acknowledgements` is at most what the primary waits for.
 */
export interface Memory {
  readonly primary: string;
  /** Where it was last seen: a Pod that is gone may leave its mysqld behind. */
  readonly primaryAddress: string;
  /** server_uuids whose acknowledgement may count, the primary's included. */
  readonly voters: readonly string[];
  readonly acknowledgements: number;
  /** server_uuids that ever were the primary's. */
  readonly primaries: readonly string[];
  /** Voters that were the primary: they had no source, so that they can't acknowledge until they are given one. */
  readonly deposed: readonly string[];
  /** Whether the cluster ever had a transaction: from then on an empty instance is never opened. */
  readonly written: boolean;
  /**
   * Whether clients were ever let in: from then on there may be transactions that nobody here has seen. Only a record that
   * says no means no.
   */
  readonly opened?: boolean | undefined;
  /** Counts writes, so that each of them changes the object, and one that comes late is refused. */
  readonly revision?: number | undefined;
}

export interface InstanceView {
  readonly ordinal: number;
  /** Its name in DNS, by which replicas find it. */
  readonly host: string;
  readonly pod: PodView | undefined;
  /** Undefined if it can't be asked. */
  readonly state: InstanceState | undefined;
  /** Why it can't be asked, and for how many milliseconds it could not. */
  readonly silence: { readonly reason: string; readonly milliseconds: number } | undefined;
  /** Milliseconds that a commit has been waiting for acknowledgements; 0 if none waits. */
  readonly waiting: number;
  /** A clone into it is under way, or it is being emptied for one. */
  readonly cloning: boolean;
  /** Milliseconds that its Pod has been seen to be on its way out; 0 if it is not. */
  readonly ending: number;
  /** Milliseconds that its Pod has been seen with the role that it has, or without one; 0 if there is no Pod. */
  readonly inRole: number;
}

export interface PodView {
  readonly uid: string;
  readonly address: string | undefined;
  readonly ready: boolean;
  readonly terminating: boolean;
  readonly role: "primary" | "replica" | undefined;
  /** Has its StatefulSet's newest revision. */
  readonly updated: boolean;
  readonly demote: boolean;
  /** Ordinal of the instance that shall be the primary instead. */
  readonly demoteTo: number | undefined;
  readonly reclone: boolean;
  readonly preventDelete: boolean;
}
