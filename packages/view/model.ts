import type { ClusterState, Role } from "@moco-ts/api";
import type { InstanceReport } from "./instances/report.ts";

/**
 * view: all that is known of a cluster at one moment. It is plain data: `kubectl moco status -o json` prints it as it is.
 */
export interface ClusterView {
  readonly namespace: string;
  readonly name: string;
  /** When it was looked at. */
  readonly time: string;
  /** Undefined until a controller has said. */
  readonly state?: ClusterState;
  readonly offline: boolean;
  /** Where the operator's work was stopped by an annotation. */
  readonly stopped: { readonly clustering: boolean; readonly reconciliation: boolean };
  readonly replicas: number;
  /** Undefined if Pods can't be read, and so are `instances` then. */
  readonly readyReplicas?: number;
  /** Index of the primary. Undefined until a controller has said. */
  readonly primary?: number;
  /** The Secret that names a source outside of the cluster: the primary follows it and takes no writes. */
  readonly replicationSource?: string;
  /** How many of whom must have a transaction before its client is told. Undefined until clustering has said. */
  readonly acknowledgements?: { readonly required: number; readonly voters: number };
  /**
   * What gaps are counted against: the primary's transactions, or where it can't be asked those that any instance has.
   * Undefined if nobody could be asked.
   */
  readonly gapsAgainst?: "primary" | "all";
  /** What a person should know or do, the worst first. */
  readonly findings: readonly Finding[];
  readonly instances?: readonly InstanceView[];
  readonly conditions: readonly ConditionView[];
  /** Undefined if Pods or the StatefulSet can't be read. */
  readonly rollout?: RolloutView;
  /** Undefined if they can't be read. */
  readonly volumes?: readonly VolumeView[];
  readonly backup?: BackupView;
  /** The newest last. Undefined if they can't be read. */
  readonly events?: readonly EventView[];
  /** What can't be read, and why. */
  readonly problems: readonly string[];
}

export interface Finding {
  readonly level: "error" | "warning" | "note";
  /** Index of the instance that it is about. */
  readonly instance?: number;
  readonly text: string;
  /** What to do about it. */
  readonly advice?: string;
}

export interface InstanceView {
  readonly index: number;
  readonly pod: string;
  /** What its label says. Undefined: it gets no traffic from the Services. */
  readonly role?: Role;
  readonly isPrimary: boolean;
  /** As kubectl prints it: Running, CrashLoopBackOff, Terminating; Missing if there is no Pod. */
  readonly status: string;
  /** Why it is not running, if somebody says so. */
  readonly problem?: string;
  readonly ready: boolean;
  readonly restarts: number;
  readonly node?: string;
  /** When the Pod was created. */
  readonly since?: string;
  /** Made from the newest template. */
  readonly updated: boolean;
  /** Annotations that ask for something, such as `demote`, without their prefix. */
  readonly requests: Readonly<Record<string, string>>;
  /** What mysqld says, or why it does not. */
  readonly mysqld:
    ({ readonly answered: true } & InstanceReport) | { readonly answered: false; readonly reason: string };
  /** Whether its acknowledgements count. Undefined if that can't be told. */
  readonly votes?: boolean;
  /** Transactions of the primary's that it lacks. Undefined if that can't be told. */
  readonly gap?: number;
  /** Transactions that the primary does not have. Undefined if there are none or it can't be told. */
  readonly errant?: { readonly transactions: number; readonly gtids: string };
  /** The operator has found transactions that the primary does not have. */
  readonly isErrant: boolean;
}

export interface ConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

export interface RolloutView {
  /** `missing`: there is no StatefulSet. `stopped`: it will not go on by itself. */
  readonly state: "complete" | "rolling" | "stopped" | "missing";
  /** Instances from this index on may be replaced. */
  readonly partition: number;
  readonly updated: number;
  readonly total: number;
  readonly revision?: string;
  /** What it waits for, or why it was stopped. */
  readonly reason?: string;
  /** By an annotation: the cluster's health is ignored. */
  readonly forced: boolean;
}

export interface VolumeView {
  readonly claim: string;
  readonly index: number;
  /** Bound, Pending, Lost; Missing if there is no claim although there should be. */
  readonly phase: string;
  readonly request?: string;
  /** What there is, which follows the request. */
  readonly capacity?: string;
  readonly storageClass?: string;
  /** The request is larger than the capacity. */
  readonly growing: boolean;
  readonly conditions: readonly { readonly type: string; readonly message: string }[];
}

export interface BackupView {
  readonly time: string;
  readonly elapsed?: string;
  readonly warnings: readonly string[];
}

export interface EventView {
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  /** `Pod/moco-test-0` */
  readonly object: string;
  readonly message: string;
  readonly count: number;
}
