/** Who votes, and who no longer can. */
import { GtidSet } from "@moco-ts/mysql";
import { describe, expect, test } from "vitest";
import type { Step } from "../plan.ts";
import { kinds, plan, stepsOf } from "../testing/plans.ts";
import { gtids, host, stranger, uuids, type Changes, type SnapshotChanges } from "../testing/snapshots.ts";

describe("voters", () => {
  test("a newcomer that receives everything is admitted, and acknowledges only afterwards", () => {
    const newcomer = { 2: { state: { acknowledges: false } } };
    const voters = uuids.slice(0, 2);
    expect(plan({ memory: { voters }, instances: newcomer }).steps).toEqual([
      { kind: "admit", ordinal: 2, uuid: uuids[2] },
    ]);
    const made = plan({ instances: newcomer });
    expect(made.perInstance[0]?.steps).toEqual([{ kind: "follow", acknowledge: true, how: "restart" }]);
  });

  test("more acknowledgements are asked for as soon as enough voters can give them", () => {
    const memory = { acknowledgements: 1 };
    expect(kinds(plan({ replicas: 5, memory }))).toEqual(["raise"]);
    const away = { 1: { state: null }, 2: { state: null }, 3: { state: null } };
    expect(kinds(plan({ replicas: 5, memory, instances: away }))).toEqual([]);
  });

  test("which is not before there are newcomers: until then each voter would be needed for every commit", () => {
    const cloning = { state: { executed: GtidSet.empty, replica: null, acknowledges: false } };
    const growing = (voters: number): string[] => {
      const memory = { acknowledgements: 1, voters: uuids.slice(0, voters) };
      const instances = Object.fromEntries([3, 4].filter((each) => each >= voters).map((each) => [each, cloning]));
      return kinds(plan({ replicas: 5, memory, instances }));
    };
    expect(growing(3)).not.toContain("raise");
    expect(growing(4)).toContain("raise");
  });

  const lost = { 2: { state: null, pod: { ready: false } } };
  test("one whose process has ended is dismissed after a while", () => {
    const after = (milliseconds: number): Step[] => [
      ...plan({ instances: lost, rest: { dead: new Map([[uuids[2]!, milliseconds]]) } }).steps,
    ];
    expect(after(1_000)).toEqual([]);
    expect(after(6_000)).toEqual([expect.objectContaining({ kind: "dismiss", uuid: uuids[2] })]);
  });

  test("one that only does not answer keeps its vote: it may still acknowledge", () => {
    expect(kinds(plan({ instances: lost }))).toEqual([]);
  });

  test("no vote is dismissed that the acknowledgements need", () => {
    const memory = { voters: [uuids[0]!, uuids[2]!] };
    const made = plan({ memory, instances: lost, rest: { dead: new Map([[uuids[2]!, 60_000]]) } });
    expect(kinds(made)).not.toContain("dismiss");
  });
});

describe("a replica that somebody wants to be cloned again", () => {
  const reclone: Changes = { pod: { reclone: true } };
  test("is taken out for it, one at a time", () => {
    const made = plan({ instances: { 1: reclone, 2: reclone } });
    expect(stepsOf(made, 1)).toEqual(["isolate"]);
    expect(stepsOf(made, 2)).toEqual([]);
  });

  test("stays as long as commits need it, as the other one is errant", () => {
    const astray: Changes = { state: { executed: gtids("a:1-10,x:1") } };
    const made = plan({ instances: { 1: astray, 2: reclone }, rest: { errantBefore: [1] } });
    expect(stepsOf(made, 1)).toEqual(["isolate"]);
    expect(stepsOf(made, 2)).toEqual([]);
  });

  const closed: Changes = { state: { replica: null, source: { enabled: true } } };
  test("stays as long as the other one is a primary of before, which may have transactions of its own", () => {
    const made = plan({ memory: { deposed: [uuids[1]!] }, instances: { 1: closed, 2: reclone } });
    expect(stepsOf(made, 2)).toEqual([]);
  });
});

describe("a voter that lacks what the primary no longer has, while the only other one is errant", () => {
  const wanted = { autoReclone: true };
  const cluster = (errant: string, stranded: Changes["state"]): SnapshotChanges => ({
    wanted,
    instances: {
      0: { state: { purged: gtids("a:1-5") } },
      1: { state: { executed: gtids(errant), acknowledges: false, replica: null } },
      2: { state: { executed: gtids("a:1-3"), ...stranded } },
    },
    rest: { errantBefore: [1] },
  });
  const stopped = { receiving: "no", applying: false, retrieved: gtids("a:1-3") } as const;

  test("is taken out and dismissed, since the errant one has everything, so that it can be cloned", () => {
    const isolating = plan(cluster("a:1-10,x:1", { replica: { ...stopped, sourceHost: host(1) } }));
    expect(stepsOf(isolating, 2)).toEqual(["isolate"]);
    const dismissing = plan(cluster("a:1-10,x:1", { acknowledges: false, replica: stopped }));
    expect(dismissing.steps).toContainEqual(expect.objectContaining({ kind: "dismiss", uuid: uuids[2] }));
  });

  test("stays if nobody else has everything", () => {
    const made = plan(cluster("a:1-9,x:1", { replica: { ...stopped, sourceHost: host(1) } }));
    expect(stepsOf(made, 2)).toEqual([]);
  });
});

test("what a primary of before kept to itself is none of the cluster's data", () => {
  const executed = GtidSet.empty;
  const made = plan({
    primaryIndex: 1,
    memory: { written: false, opened: true, primaries: uuids.slice(0, 2), deposed: [uuids[0]!] },
    instances: {
      0: { state: { executed: gtids("a:1"), replica: null } },
      1: { state: { executed } },
      2: { state: { executed, replica: { retrieved: executed } } },
    },
  });
  expect(kinds(made)).not.toContain("remember");
});

test("a cluster that nobody has written to is left alone like any other", () => {
  const executed = GtidSet.empty;
  const empty: Changes = { state: { executed, replica: { retrieved: executed } } };
  const made = plan({
    memory: { written: false, opened: true },
    instances: { 0: { state: { executed } }, 1: empty, 2: empty },
  });
  expect(made).toMatchObject({ state: "Healthy", steps: [], again: undefined });
});

describe("another server without data in the place of the primary of a cluster that nobody has seen a transaction of", () => {
  const silent = { state: null };
  const replaced: SnapshotChanges["instances"] = {
    0: { state: { uuid: stranger, executed: GtidSet.empty, replica: null, readOnly: true, superReadOnly: true } },
    1: silent,
    2: silent,
  };

  test("is a fine beginning if clients were never let in", () => {
    const made = plan({ memory: { written: false, opened: false }, instances: replaced });
    expect(made.steps).toMatchObject([{ kind: "remember", memory: { primary: stranger, opened: false } }]);
  });

  test("may be acknowledged to by those who were told to follow the one before, as it has the same name", () => {
    const made = plan({ memory: { written: false, opened: false }, instances: replaced });
    const voters = [stranger, uuids[1], uuids[2]];
    expect(made.steps).toMatchObject([{ kind: "remember", memory: { voters } }]);
  });

  test("has lost what they may have written otherwise", () => {
    for (const opened of [true, undefined]) {
      const made = plan({ memory: { written: false, opened }, instances: replaced });
      expect(made).toMatchObject({ state: "Lost", steps: [] });
    }
  });
});

describe("a voter in whose place another server is", () => {
  const memory = { voters: [stranger, ...uuids.slice(0, 3)] };
  test("stands in the way of failovers, and people are told", () => {
    const { state, reason, steps } = plan({ memory });
    expect({ state, steps }).toEqual({ state: "Degraded", steps: [] });
    expect(reason).toMatch(new RegExp(`${stranger} is lost.*kubectl moco forget`));
  });

  test("does not, where enough others are known", () => {
    const { state } = plan({ replicas: 5, memory: { voters: [...uuids, stranger], acknowledgements: 2 } });
    expect(state).toBe("Healthy");
  });

  test("is dismissed by the word of a person, which is forgotten then", () => {
    const wanted = { ended: [stranger] };
    expect(plan({ memory, wanted }).steps).toEqual([expect.objectContaining({ kind: "dismiss", uuid: stranger })]);
    expect(plan({ memory, wanted }).labels).toEqual([]);
    expect(plan({ wanted }).labels).toEqual([{ kind: "forget-ended" }]);
  });

  test("the word is void for somebody who is there, and lets nobody in", () => {
    const wanted = { ended: [uuids[2]!] };
    expect(plan({ wanted })).toMatchObject({ steps: [], labels: [{ kind: "forget-ended" }] });
    const newcomer = { 2: { state: { acknowledges: false } } };
    expect(plan({ wanted, memory: { voters: uuids.slice(0, 2) }, instances: newcomer }).steps).toEqual([]);
  });
});
