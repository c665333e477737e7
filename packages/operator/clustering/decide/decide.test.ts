import { GtidSet } from "@moco-ts/mysql";
import { describe, expect, test } from "vitest";
import { kinds, plan, stepsOf } from "../testing/plans.ts";
import { gtids, host, stranger, uuids, type Changes, type SnapshotChanges } from "../testing/snapshots.ts";

const closed = { readOnly: true, superReadOnly: true };

/** Replicas that have lost their source. */
const deaf = {
  1: { state: { replica: { receiving: "connecting", heardAgo: 9_000 } } },
  2: { state: { replica: { receiving: "connecting", heardAgo: 9_000 } } },
} as const;

test("there is nothing to be done to a healthy cluster, and no need to look soon", () => {
  expect(plan()).toMatchObject({ state: "Healthy", steps: [], perInstance: [], labels: [], again: undefined });
});

describe("the state", () => {
  const states: [string, string, SnapshotChanges][] = [
    ["Offline", "whatever else is the case", { wanted: { offline: true }, instances: { 0: { state: null } } }],
    ["Healthy", "one instance alone", { replicas: 1 }],
    ["Healthy", "five instances", { replicas: 5 }],
    ["Degraded", "a replica that does not answer", { instances: { 2: { state: null, pod: { ready: false } } } }],
    ["Degraded", "a Pod that is being deleted", { instances: { 1: { pod: { terminating: true } } } }],
    ["Degraded", "a Pod that is not ready", { instances: { 1: { pod: { ready: false } } } }],
    ["Degraded", "a replica that does not vote yet", { memory: { voters: uuids.slice(0, 2) } }],
    ["Incomplete", "both replicas away", { instances: { 1: { state: null }, 2: { state: null } } }],
    ["Incomplete", "a primary that is not open", { instances: { 0: { state: closed } } }],
    ["Incomplete", "nothing is recorded", { memory: null }],
    ["Failed", "a primary that is gone", { instances: { 0: { state: null, pod: { ready: false } }, ...deaf } }],
    [
      "Lost",
      "a primary and a replica that are gone",
      { instances: { 0: { state: null }, 1: { state: null }, 2: deaf[2] } },
    ],
    ["Lost", "one instance that is gone", { replicas: 1, instances: { 0: { state: null } } }],
    [
      "Failed",
      "another server in the primary's place",
      { instances: { 0: { state: { uuid: stranger, executed: GtidSet.empty } } } },
    ],
    ["Restoring", "a restore that is not done", { wanted: { restore: true } }],
    [
      "Cloning",
      "a source that is not cloned",
      { wanted: { intermediate: true }, instances: { 0: { state: { ...closed, executed: GtidSet.empty } } } },
    ],
  ];
  test.each(states)("%s: %s", (state, _, changes) => expect(plan(changes).state).toBe(state));
});

describe("a primary that does not answer", () => {
  const away = { state: null, silence: { reason: "ETIMEDOUT", milliseconds: 10_000 } };

  test("is replaced when nobody hears it", () => {
    expect(kinds(plan({ instances: { 0: away, ...deaf } }))).toEqual(["failover"]);
  });

  test("stays as long as one of its replicas hears it", () => {
    const made = plan({ instances: { 0: away, 1: deaf[1] } });
    expect(kinds(made)).toEqual([]);
    expect(made.reason).toMatch(/instance 2 still hears it/);
  });

  test("stays while a transaction is being received from it, however long that takes", () => {
    const receiving = { state: { replica: { heardAgo: 60_000, queueing: true } } };
    expect(kinds(plan({ instances: { 0: away, 1: deaf[1], 2: receiving } }))).toEqual([]);
  });

  test("gets a moment before it is given up, and a shorter one if it refuses connections", () => {
    const after = (reason: string, milliseconds: number) =>
      kinds(plan({ instances: { 0: { state: null, silence: { reason, milliseconds } }, ...deaf } }));
    expect(after("ETIMEDOUT", 1_000)).toEqual([]);
    expect(after("ECONNREFUSED", 1_000)).toEqual(["failover"]);
  });

  test("is given up though it is heard, if it refuses connections and its own probes fail: it is ending", () => {
    const ending = { state: null, pod: { ready: false }, silence: { reason: "ECONNREFUSED", milliseconds: 2_500 } };
    expect(kinds(plan({ instances: { 0: ending } }))).toEqual(["failover"]);
  });

  test("is not replaced as long as too few voters are known", () => {
    const made = plan({ instances: { 0: away, 1: deaf[1], 2: { state: null } } });
    expect(kinds(made)).toEqual([]);
    expect(made.reason).toMatch(/too few others/);
  });

  test("can be replaced by the only other voter, once the third was dismissed", () => {
    const memory = { voters: uuids.slice(0, 2) };
    expect(kinds(plan({ memory, instances: { 0: away, 1: deaf[1], 2: { state: null } } }))).toEqual(["failover"]);
  });
});

describe("what people are told does not change with every look", () => {
  test("at an instance that is out of reach", () => {
    const told = (reason: string): string =>
      plan({ instances: { 2: { state: null, silence: { reason, milliseconds: 9_000 } } } }).reason;
    for (const reason of ["connect ETIMEDOUT", "looking at 10.0.0.2:33062 took longer than 1000 ms", "EHOSTUNREACH"])
      expect(told(reason)).toBe("instance 2 does not answer (timed out)");
    expect(told("connect ECONNREFUSED")).toBe("instance 2 does not answer (connect ECONNREFUSED)");
  });

  test("at a replica that tries to reach its source", () => {
    const told = (receiveError: string): string =>
      plan({ instances: { 2: { state: { replica: { receiving: "connecting", receiveError } } } } }).reason;
    const expected = "instance 2 does not replicate (Error reconnecting to source 'r@h:3306'. Message: Can't connect)";
    const attempt = "This was attempt 7/86400, with a delay of 1 seconds between attempts.";
    expect(told(`Error reconnecting to source 'r@h:3306'. ${attempt} Message: Can't connect`)).toBe(expected);
    expect(told("error reconnecting to source 'r@h:3306' - retry-time: 1 retries: 7 message: Can't connect")).toBe(
      "instance 2 does not replicate (error reconnecting to source 'r@h:3306' - message: Can't connect)",
    );
  });
});

describe("opening a primary", () => {
  const restarted = { ...closed, source: { enabled: false, active: false } };

  test("waits until enough voters have all that it has", () => {
    const behind = { state: { executed: gtids("a:1-9"), replica: { retrieved: gtids("a:1-9") } } };
    expect(kinds(plan({ instances: { 0: { state: restarted }, 1: behind, 2: behind } }))).toEqual(["prepare-primary"]);
    expect(kinds(plan({ instances: { 0: { state: restarted }, 1: behind } }))).toEqual(["prepare-primary", "open"]);
  });

  test("what was only retrieved counts", () => {
    const retrieved = { state: { executed: gtids("a:1-2") } };
    expect(kinds(plan({ instances: { 0: { state: restarted }, 1: retrieved, 2: retrieved } }))).toContain("open");
  });

  test("never happens to one that lacks what a voter has: that one is promoted", () => {
    const made = plan({ instances: { 0: { state: { ...restarted, executed: gtids("a:1-9") } } } });
    expect(kinds(made)).toEqual(["failover"]);
  });

  test("goes on though one that it replaced has more: nobody was told of that", () => {
    const instances = {
      0: { state: { ...closed, executed: gtids("a:1-12"), replica: null } },
      1: { state: { ...closed, executed: gtids("a:1-10") } },
      2: { state: { executed: gtids("a:1-9"), replica: { retrieved: gtids("a:1-9") } } },
    };
    const memory = { primaries: uuids.slice(0, 2) };
    const replaced = plan({ primaryIndex: 1, memory: { ...memory, deposed: [uuids[0]!] }, instances });
    expect(kinds(replaced)).not.toContain("failover");
    expect(kinds(plan({ primaryIndex: 1, memory, instances }))).toEqual(["failover"]);
  });

  test("goes on where a handover was given up: what still waits there for an acknowledgement is not lacking", () => {
    const waiting = { ...closed, executed: gtids("a:1-9"), committing: gtids("a:10") };
    expect(kinds(plan({ instances: { 0: { state: waiting } } }))).toEqual(["open"]);
  });

  test("never happens to an empty instance of a cluster that had data", () => {
    const empty = { ...closed, executed: GtidSet.empty };
    expect(kinds(plan({ instances: { 0: { state: empty } } }))).toEqual(["failover"]);
    expect(kinds(plan({ replicas: 1, instances: { 0: { state: empty } } }))).toEqual([]);
  });

  test("never happens to one that process 1 is ending", () => {
    const ending = { state: { ...closed, stopping: true } };
    expect(kinds(plan({ replicas: 1, instances: { 0: ending } }))).toEqual([]);
  });

  test("of a new cluster waits for all the acknowledgements that it is to have", () => {
    const none = { executed: GtidSet.empty };
    const fresh = { state: { ...none, replica: null } };
    const instances = { 0: { state: { ...closed, ...none } }, 1: fresh, 2: fresh };
    const memory = { acknowledgements: 0, written: false };
    expect(kinds(plan({ memory, instances }))).toEqual([]);
    expect(kinds(plan({ replicas: 1, memory, instances: { 0: { state: { ...closed, ...none } } } }))).toEqual(["open"]);
  });
});

describe("the first commits of a new cluster", () => {
  const received = (text: string) => ({
    state: { executed: GtidSet.empty, replica: { retrieved: gtids(text) } },
  });
  const begun = (committing: string, one: Changes, other: Changes = received("")) =>
    kinds(
      plan({
        instances: { 0: { state: { executed: GtidSet.empty, committing: gtids(committing) } }, 1: one, 2: other },
      }),
    );

  test("are on replicas while the primary still waits to be told so: it has lost nothing", () => {
    expect(begun("a:1", received("a:1"))).toEqual([]);
    expect(begun("a:1-2", received("a:1"), received("a:1-2"))).toEqual([]);
  });
  test("are fewer than those that it had before somebody reset it", () => {
    expect(begun("a:1", received("a:1-10"))).toEqual(["failover"]);
    expect(begun("", received("a:1"))).toEqual(["failover"]);
  });
});

describe("a primary that takes writes which nobody else would have", () => {
  test("is closed at once when it has given up waiting", () => {
    expect(kinds(plan({ instances: { 0: { state: { source: { active: false } } } } }))).toEqual(["close"]);
  });
  test("is closed at once when somebody lowered the number of acknowledgements", () => {
    const changes = { replicas: 5, instances: { 0: { state: { source: { acknowledgements: 1 } } } } };
    expect(kinds(plan(changes))).toEqual(["close"]);
  });
});

test("a commit that waits though its voters are there is nudged", () => {
  expect(kinds(plan({ instances: { 0: { waiting: 1_500 } } }))).toEqual(["nudge"]);
  expect(kinds(plan({ instances: { 0: { waiting: 1_500 }, 1: { state: null }, 2: { state: null } } }))).toEqual([]);
});

describe("errant transactions", () => {
  const odd = { state: { executed: gtids("a:1-10,x:1") } };

  test("are looked at twice before anything is done", () => {
    const first = plan({ instances: { 1: odd } });
    expect(first).toMatchObject({
      errant: [],
      suspects: [uuids[1]],
      perInstance: [],
      again: expect.any(Number) as number,
    });
    const second = plan({ instances: { 1: odd }, rest: { suspects: new Set([uuids[1]!]) } });
    expect(second.errant).toEqual([1]);
    expect(second.reason).toBe("instance 1 has transactions that the primary does not have");
    expect(stepsOf(second, 1)).toEqual(["isolate"]);
    expect(second.labels).toEqual([{ kind: "label", ordinal: 1, role: undefined }]);
  });

  test("of the primary's own are none: a replica has them before the primary has committed them", () => {
    expect(plan({ instances: { 1: { state: { executed: gtids("a:1-11") } } } }).suspects).toEqual([]);
  });

  test("cost an instance its vote, and only then it is cloned again, if that is wanted", () => {
    const isolated = { executed: gtids("a:1-10,x:1"), acknowledges: false, replica: { receiving: "no" } } as const;
    const rest = { errantBefore: [1] };
    const voting = plan({ instances: { 1: { state: isolated } }, rest });
    expect(voting.steps).toEqual([expect.objectContaining({ kind: "dismiss", uuid: uuids[1] })]);
    const dismissed = { memory: { voters: [uuids[0]!, uuids[2]!] }, instances: { 1: { state: isolated } }, rest };
    expect(stepsOf(plan(dismissed), 1)).toEqual([]);
    expect(stepsOf(plan({ ...dismissed, wanted: { autoReclone: true } }), 1)).toEqual(["make-empty"]);
  });

  test("are taken from the status while there is no primary to compare with", () => {
    expect(plan({ instances: { 0: { state: null }, ...deaf }, rest: { errantBefore: [2] } }).errant).toEqual([2]);
  });
});

describe("replicas", () => {
  test("one that has restarted is started with acknowledgements on", () => {
    const restarted = { acknowledges: false, replica: { receiving: "no", applying: false } } as const;
    const made = plan({ instances: { 2: { state: restarted } } });
    expect(made.perInstance[0]?.steps).toEqual([
      { kind: "start-applier" },
      { kind: "follow", acknowledge: true, how: "restart" },
    ]);
  });
  test("one that follows another is pointed to the primary, keeping its relay log", () => {
    const made = plan({ instances: { 2: { state: { replica: { sourceHost: host(1) } } } } });
    expect(made.perInstance[0]?.steps).toEqual([{ kind: "follow", acknowledge: true, how: "repoint" }]);
    // Its readers stay.
    expect(made.labels).toEqual([]);
  });
  test("one that follows another, and lacks what the primary no longer has, serves nobody", () => {
    const purged = gtids("a:1-5");
    const behind = { executed: gtids("a:1-3"), replica: { sourceHost: host(1), retrieved: gtids("a:1-3") } };
    const made = plan({ instances: { 0: { state: { purged } }, 2: { state: behind } } });
    expect(made.labels).toEqual([{ kind: "label", ordinal: 2, role: undefined }]);
  });
  test("one whose connection could be encrypted is pointed to the primary anew", () => {
    const plain = { state: { replica: { secure: false } } };
    expect(stepsOf(plan({ instances: { 1: plain } }), 1)).toEqual(["follow"]);
    expect(plan({ instances: { 1: plain } }).perInstance[0]!.steps).toMatchObject([{ how: "repoint" }]);
    const old = { state: { authorityFile: "ca.pem" } };
    expect(stepsOf(plan({ instances: { 0: old, 1: plain } }), 1)).toEqual([]);
    expect(stepsOf(plan({ instances: { 1: { state: { ...old.state, replica: { secure: false } } } } }), 1)).toEqual([]);
  });

  test("an applier that a person stopped is left alone", () => {
    expect(plan({ instances: { 2: { state: { replica: { applying: false } } } } }).perInstance).toEqual([]);
  });
  test("an applier that was stopped in the middle of a transaction is started again", () => {
    const interrupted = { state: { replica: { applying: false, interrupted: true } } };
    expect(stepsOf(plan({ instances: { 1: interrupted } }), 1)).toEqual(["start-applier"]);
  });
  test("an empty one is cloned, unless the primary is empty too", () => {
    const empty = { state: { executed: GtidSet.empty, replica: null } };
    const memory = { voters: [uuids[0]!, uuids[1]!] };
    expect(stepsOf(plan({ memory, instances: { 2: empty } }), 2)).toEqual(["clone"]);
    const none = { state: { executed: GtidSet.empty } };
    expect(stepsOf(plan({ memory: { written: false }, instances: { 0: none, 1: empty, 2: empty } }), 2)).toEqual([
      "follow",
    ]);
  });
  test("empty ones are cloned one after the other: a donor takes one at a time", () => {
    const empty = { state: { executed: GtidSet.empty, replica: null } };
    const memory = { voters: [uuids[0]!] };
    const cloned = (one: Changes, other: Changes = empty) => plan({ memory, instances: { 1: one, 2: other } });
    expect(cloned(empty).perInstance.map(({ ordinal }) => ordinal)).toEqual([1]);
    expect(cloned({ ...empty, cloning: true }).perInstance).toEqual([]);
    const clone = { state: "In Progress", error: undefined } as const;
    expect(cloned({ state: { ...empty.state, clone } }).perInstance).toEqual([]);
  });
  test("an empty one that could follow only who was the primary before is made to forget it, so that it can be cloned", () => {
    const purged = gtids("a:1-5");
    const channel = { sourceHost: host(1), retrieved: GtidSet.empty, receiving: "no", applying: false } as const;
    const empty = { executed: GtidSet.empty, acknowledges: false, replica: channel };
    const memory = { voters: [uuids[0]!, uuids[1]!] };
    const instances = { 0: { state: { purged } }, 2: { state: empty } };
    expect(stepsOf(plan({ memory, instances }), 2)).toEqual(["make-empty"]);
    const forgetful = { 0: { state: { purged } }, 2: { state: { ...empty, replica: null } } };
    expect(stepsOf(plan({ memory, instances: forgetful }), 2)).toEqual(["clone"]);
  });
  test("an empty one that votes is not cloned: it would become another server, and its vote could not be taken away", () => {
    const empty = { state: { executed: GtidSet.empty, acknowledges: false, replica: null } };
    expect(stepsOf(plan({ instances: { 2: empty } }), 2)).toEqual(["follow"]);
    const purged = { 0: { state: { purged: gtids("a:1-5") } }, 2: empty };
    const { steps, perInstance } = plan({ instances: purged });
    expect(perInstance).toEqual([]);
    expect(steps).toEqual([{ kind: "dismiss", uuid: uuids[2], reason: "it has no data" }]);
  });
  test("one that lacks what the primary's binary logs no longer have is not pointed to it", () => {
    const instances = {
      0: { state: { purged: gtids("a:1-5") } },
      2: { state: { executed: gtids("a:1-3"), replica: null } },
    };
    expect(stepsOf(plan({ instances }), 2)).toEqual([]);
    const memory = { voters: [uuids[0]!, uuids[1]!] };
    expect(stepsOf(plan({ instances, memory, wanted: { autoReclone: true } }), 2)).toEqual(["isolate"]);
  });
  test("a writable one that is not the primary stands down", () => {
    expect(stepsOf(plan({ instances: { 2: { state: { readOnly: false, superReadOnly: false } } } }), 2)).toEqual([
      "stand-down",
    ]);
  });
  test("labels say who serves: nobody that does not answer", () => {
    const made = plan({ instances: { 1: { pod: { role: undefined } }, 2: { state: null, pod: { ready: false } } } });
    expect(made.labels).toEqual([
      { kind: "label", ordinal: 1, role: "replica" },
      { kind: "label", ordinal: 2, role: undefined },
    ]);
  });
});

describe("the record", () => {
  test("of a new cluster has everybody that is there, since nobody can lack anything", () => {
    const none = { executed: GtidSet.empty, replica: null };
    const instances = { 0: { state: { ...closed, ...none } }, 1: { state: none }, 2: { state: null } };
    expect(plan({ memory: null, instances }).steps).toEqual([
      {
        kind: "remember",
        memory: expect.objectContaining({ voters: uuids.slice(0, 2), acknowledgements: 0, written: false }) as object,
      },
    ]);
  });
  test("of a cluster that is adopted has everybody who acknowledges, and who can't be asked", () => {
    const [step] = plan({ memory: null, instances: { 2: { state: null } } }).steps;
    expect(step).toMatchObject({
      memory: { voters: [...uuids.slice(0, 2), "unseen-2"], acknowledgements: 1, written: true },
    });
  });
  test("of a cluster that is adopted while its primary is down is made from what replicas say", () => {
    const [step] = plan({ memory: null, instances: { 0: { state: null } } }).steps;
    expect(step).toMatchObject({ memory: { primary: uuids[0], voters: uuids.slice(0, 3), acknowledgements: 1 } });
  });
  test("is not made where data is gone and nobody knows whose acknowledgements counted", () => {
    const gone = {
      0: { state: { ...closed, executed: GtidSet.empty } },
      1: { state: { replica: null } },
      2: { state: { replica: null } },
    };
    expect(plan({ memory: null, instances: gone }).steps).toEqual([]);
  });
  test("forgets that an instance was deposed when that is back", () => {
    const changes = { primaryIndex: 1, memory: { deposed: [uuids[0]!], primaries: uuids.slice(0, 2) } };
    expect(plan(changes).steps).toEqual([
      { kind: "remember", memory: expect.objectContaining({ deposed: [] }) as object },
    ]);
  });
});
