/** Snapshots for tests of decisions: a healthy cluster, and what is different. */
import { GtidSet, type InstanceState, type ReplicaSide, type SourceSide } from "@moco-ts/mysql";
import type { InstanceView, Memory, PodView, Snapshot, Wanted } from "../snapshot.ts";

/** server_uuids by ordinal. */
export const uuids = ["a", "b", "c", "d", "e"].map(
  (letter) => `${letter.repeat(8)}-0000-0000-0000-${letter.repeat(12)}`,
);
export const stranger = "99999999-0000-0000-0000-999999999999";

export function gtids(text: string): GtidSet {
  const full = text.replaceAll(/\b([a-e])(?=:)/g, (letter) => uuids["abcde".indexOf(letter)]!);
  return GtidSet.parse(full.replaceAll("x:", `${stranger}:`));
}

export function host(ordinal: number): string {
  return `moco-test-${ordinal}.moco-test.default.svc`;
}

export interface Changes {
  readonly pod?: Partial<PodView> | null;
  /** Null: it does not answer. */
  readonly state?:
    | (Partial<Omit<InstanceState, "source" | "replica">> & {
        source?: Partial<SourceSide>;
        replica?: Partial<ReplicaSide> | null;
      })
    | null;
  readonly silence?: InstanceView["silence"];
  readonly waiting?: number;
  readonly cloning?: boolean;
  readonly ending?: number;
  readonly inRole?: number;
}

export interface SnapshotChanges {
  readonly replicas?: number;
  readonly wanted?: Partial<Wanted>;
  readonly primaryIndex?: number;
  readonly memory?: Partial<Memory> | null;
  readonly instances?: Readonly<Record<number, Changes>>;
  readonly rest?: Partial<
    Pick<Snapshot, "errantBefore" | "dead" | "suspects" | "holdSwitchover" | "cloned" | "restored">
  >;
}

/** Three instances, instance 0 the primary, everybody with the same ten transactions. */
export function snapshot(changes: SnapshotChanges = {}): Snapshot {
  const { replicas = 3, primaryIndex = 0 } = changes;
  const wanted: Wanted = {
    replicas,
    offline: false,
    intermediate: false,
    restore: false,
    autoReclone: false,
    ended: [],
    authorityFile: "/tls/ca.crt",
    maxDelayForDeletion: 0,
    ...changes.wanted,
  };
  const memory: Memory = {
    primary: uuids[primaryIndex]!,
    primaryAddress: `10.0.0.${primaryIndex}`,
    voters: uuids.slice(0, replicas),
    acknowledgements: Math.floor(replicas / 2),
    primaries: [uuids[0]!],
    deposed: [],
    written: true,
    ...changes.memory,
  };
  const instances = Array.from({ length: replicas }, (_, ordinal) =>
    view(ordinal, replicas, primaryIndex, changes.instances?.[ordinal] ?? {}),
  );
  return {
    wanted,
    primaryIndex,
    memory: changes.memory === null ? undefined : memory,
    errantBefore: [],
    cloned: false,
    restored: false,
    instances,
    dead: new Map(),
    suspects: new Set(),
    holdSwitchover: false,
    ...changes.rest,
  };
}

function view(ordinal: number, replicas: number, primaryIndex: number, changes: Changes): InstanceView {
  const isPrimary = ordinal === primaryIndex;
  const pod: PodView = {
    uid: `pod-${ordinal}`,
    address: `10.0.0.${ordinal}`,
    ready: true,
    terminating: false,
    role: isPrimary ? "primary" : "replica",
    updated: true,
    demote: false,
    demoteTo: undefined,
    reclone: false,
    preventDelete: false,
    ...changes.pod,
  };
  return {
    ordinal,
    host: host(ordinal),
    pod: changes.pod === null ? undefined : pod,
    state: changes.state === null ? undefined : stateOf(ordinal, replicas, primaryIndex, changes.state ?? {}),
    silence: changes.silence ?? (changes.state === null ? { reason: "ECONNREFUSED", milliseconds: 10_000 } : undefined),
    waiting: changes.waiting ?? 0,
    cloning: changes.cloning ?? false,
    ending: changes.ending ?? 0,
    inRole: changes.inRole ?? 60_000,
  };
}

function stateOf(
  ordinal: number,
  replicas: number,
  primaryIndex: number,
  { source, replica, ...changes }: NonNullable<Changes["state"]>,
): InstanceState {
  const isPrimary = ordinal === primaryIndex;
  const receivers = uuids.slice(0, replicas).filter((_, each) => each !== primaryIndex);
  const channel: ReplicaSide = {
    sourceHost: host(primaryIndex),
    sourceUuid: uuids[primaryIndex],
    receiving: "yes",
    applying: true,
    receiveError: undefined,
    applyError: undefined,
    interrupted: false,
    retrieved: gtids("a:1-10"),
    secondsBehind: 0,
    heardAgo: 200,
    queueing: false,
    secure: true,
    attentive: true,
    ...replica,
  };
  const hasChannel = replica === undefined ? !isPrimary : replica !== null;
  return {
    uuid: uuids[ordinal]!,
    serverId: 100 + ordinal,
    executed: gtids("a:1-10"),
    committing: GtidSet.empty,
    purged: GtidSet.empty,
    readOnly: !isPrimary,
    superReadOnly: !isPrimary,
    offlineMode: false,
    stopping: false,
    uptime: 1_000,
    source: {
      enabled: isPrimary && replicas > 1,
      active: isPrimary && replicas > 1,
      acknowledgements: isPrimary ? Math.floor(replicas / 2) : 1,
      waitingSessions: 0,
      acknowledgingReplicas: isPrimary ? replicas - 1 : 0,
      receivers: isPrimary ? receivers : [],
      ...source,
    },
    replica: hasChannel ? channel : undefined,
    acknowledges: !isPrimary,
    clone: undefined,
    enforced: true,
    authorityFile: "/tls/ca.crt",
    dangers: [],
    ...changes,
  };
}
