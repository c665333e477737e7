/** All that a rolling update is decided by, at one moment. Nothing in it changes. */
export interface Snapshot {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly cluster: ClusterView;
  readonly set: StatefulSetView;
  /** Pods whose ordinals are below the wanted number, by ordinal. */
  readonly members: readonly Member[];
}

export interface ClusterView {
  readonly name: string;
  /** A person has stopped reconciliation. */
  readonly stopped: boolean;
  /** The StatefulSet has been made from the newest edit of the cluster. */
  readonly reconciled: boolean;
  /** Whether the cluster has ever worked. Undefined: nobody has looked yet. */
  readonly initialized: boolean | undefined;
  /** What clustering says of the cluster is about how it is now, and not about the time before a change that it made. */
  readonly reported: boolean;
  readonly healthy: boolean;
  /** What clustering calls the state of the cluster, for people; undefined if it has not said. */
  readonly state: string | undefined;
  /** The primary's ordinal. */
  readonly primary: number;
}

export interface StatefulSetView {
  readonly replicas: number;
  /** Pods from this ordinal on are of the newest revision, or are replaced by Kubernetes. */
  readonly partition: number;
  /** Its status tells of its newest generation. */
  readonly observed: boolean;
  /** It is being made anew: its template may be an older one for now. */
  readonly remade: boolean;
  /** Updates roll out without regard to health. */
  readonly forced: boolean;
  readonly updateRevision: string | undefined;
  /** What Pods below the partition are made from. It becomes the newest one when all Pods are updated and Ready. */
  readonly currentRevision: string | undefined;
}

export interface Member {
  readonly ordinal: number;
  readonly name: string;
  readonly uid: string;
  readonly revision: string | undefined;
  readonly terminating: boolean;
  /** Since when it is Ready, in milliseconds since the epoch; undefined if it is not. */
  readonly readySince: number | undefined;
  /** It is not Ready, but was before. */
  readonly lostReadiness: boolean;
  /** mysqld runs, whether it is Ready or not, or has just ended and is being started again. */
  readonly running: boolean;
  /** What keeps it from becoming Ready, for people. Undefined if nothing is seen to fail. */
  readonly problem: string | undefined;
  /** It must not be deleted now. */
  readonly protected: boolean;
  /** It has been asked to hand over the role of the primary. */
  readonly demoting: boolean;
}
