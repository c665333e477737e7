import type { Role } from "@moco-ts/api";
import type { Clock, Logger } from "@moco-ts/base";
import type { EventContent } from "@moco-ts/kube";
import type { Instance, ReplicationSource } from "@moco-ts/mysql";
import type { Memory } from "./snapshot.ts";

/** What the cluster remembers, straight from the API server. */
export interface Record {
  /** By which a later write notices that somebody else has written. */
  readonly version: string;
  readonly primaryIndex: number;
  readonly memory: Memory | undefined;
}

/**
 * Whether no write of the record can still be under way. One may be that the operator before this one has sent, or one that
 * was not answered in time: it would be carried out whenever it arrives, as long as nobody else has written.
 */
export interface Settling {
  isSettled: boolean;
}

/**
 * All that acting on a cluster reaches out to. The simulator has its own, behind which there is a model instead of mysqld
 * and Kubernetes.
 */
export interface Surroundings {
  readonly clock: Clock;
  readonly log: Logger;
  /** The instance with this ordinal, at the address of its Pod; undefined if it has none. */
  instance(ordinal: number): Instance | undefined;
  /** The mysqld at an address that no Pod may have any more. */
  instanceAt(address: string): Instance;
  /** How replicas connect to the instance with this ordinal. */
  sourceFor(ordinal: number): ReplicationSource;
  /** How the primary connects to the replication source outside; rejects if its Secret is not complete. */
  externalSource(signal: AbortSignal): Promise<ReplicationSource>;

  readonly settling: Settling;
  /** Never from a cache. */
  readRecord(signal: AbortSignal): Promise<Record>;
  /** Rejects with a conflict if the record is no longer of this version. Returns the new one. */
  writeRecord(
    version: string,
    change: { readonly primaryIndex?: number; readonly memory: Memory },
    signal: AbortSignal,
  ): Promise<Record>;

  label(ordinal: number, role: Role | undefined, signal: AbortSignal): Promise<void>;
  preventDelete(ordinal: number, prevent: boolean, signal: AbortSignal): Promise<void>;
  forgetRequests(ordinal: number, signal: AbortSignal): Promise<void>;
  forgetEnded(signal: AbortSignal): Promise<void>;

  /** Begins to remove the data of an instance; the end is seen by the next look. */
  startEmptying(ordinal: number, empty: () => Promise<void>): void;
  /** Begins to clone the instance `donor` into another; its end is seen by the next look. */
  startClone(ordinal: number, donor: number): void;
  /** Begins to clone the replication source into the primary. */
  startCloneFromSource(ordinal: number): void;

  tell(event: EventContent): void;
  count(what: "switchover" | "failover"): void;
}
