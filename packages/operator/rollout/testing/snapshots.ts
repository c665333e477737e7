import type { ClusterView, Member, Snapshot, StatefulSetView } from "../snapshot.ts";

export const now = 1_000_000;

export interface Given {
  readonly cluster?: Partial<ClusterView>;
  readonly set?: Partial<StatefulSetView>;
  /** One for each ordinal; undefined: it does not exist. */
  readonly members: readonly (Partial<Member> | undefined)[];
}

/** A healthy cluster of which only what is given is otherwise. Pods are of revision "old", the newest is "new". */
export function snapshot({ cluster, set, members }: Given): Snapshot {
  return {
    now,
    cluster: {
      name: "test",
      stopped: false,
      reconciled: true,
      initialized: true,
      reported: true,
      healthy: true,
      state: "Healthy",
      primary: 0,
      ...cluster,
    },
    set: {
      replicas: members.length,
      partition: members.length,
      observed: true,
      remade: false,
      forced: false,
      updateRevision: "new",
      currentRevision: "old",
      ...set,
    },
    members: members.flatMap((each, ordinal) => (each ? [member(ordinal, each)] : [])),
  };
}

function member(ordinal: number, given: Partial<Member>): Member {
  return {
    ordinal,
    name: `moco-test-${ordinal}`,
    uid: `uid-${ordinal}`,
    revision: "old",
    terminating: false,
    readySince: now - 60_000,
    lostReadiness: false,
    running: true,
    problem: undefined,
    protected: false,
    demoting: false,
    ...given,
  };
}

export const old: Partial<Member> = {};
export const updated: Partial<Member> = { revision: "new" };
export const starting: Partial<Member> = { readySince: undefined };
/** mysqld runs, and something beside it does not. */
export const failing: Partial<Member> = { readySince: undefined, problem: "container agent ends" };
export const dead: Partial<Member> = { readySince: undefined, problem: "the image can't be pulled", running: false };
