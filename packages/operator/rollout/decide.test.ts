import { describe, expect, test } from "vitest";
import { decide } from "./decide.ts";
import { dead, failing, now, old, snapshot, starting, updated, type Given } from "./testing/snapshots.ts";

function plan(given: Given): string {
  const decided = decide(snapshot(given));
  switch (decided.kind) {
    case "step":
      return `step to ${decided.partition}`;
    case "switchover-first":
    case "delete-stuck-pod":
    case "stopped":
      return `${decided.kind} ${decided.pod.name}`;
    default:
      return decided.kind;
  }
}

function reason(given: Given): string {
  return decide(snapshot(given)).reason;
}

describe("one after the other", () => {
  const order: [string, Given, string][] = [
    ["the highest ordinal goes first", { members: [old, old, old] }, "step to 2"],
    ["then the next one", { members: [old, old, updated], set: { partition: 2 } }, "step to 1"],
    ["the last one", { members: [old, updated, updated], set: { partition: 1 }, cluster: { primary: 2 } }, "step to 0"],
    ["a single instance, though it is the primary", { members: [old] }, "step to 0"],
    [
      "nothing is left to do",
      { members: [updated, updated, updated], set: { partition: 0, currentRevision: "new" } },
      "done",
    ],
    [
      "the last updated pod is not Ready yet",
      { members: [{ ...updated, ...starting }], set: { partition: 0 } },
      "wait",
    ],
    ["an offline cluster", { members: [], set: { replicas: 0, partition: 3, currentRevision: "new" } }, "step to 0"],
  ];
  test.each(order)("%s", (_title, given, expected) => expect(plan(given)).toBe(expected));

  test("ordinals are numbers: 10 goes before 9", () => {
    const members = Array.from({ length: 11 }, () => old);
    expect(plan({ members })).toBe("step to 10");
    expect(plan({ members: members.with(10, updated), set: { partition: 10 } })).toBe("step to 9");
  });

  test("pods that are up to date are passed over at once, whatever the cluster's state", () => {
    const cluster = { healthy: false, initialized: undefined };
    expect(plan({ cluster, members: [updated, starting, updated].map((each) => ({ ...each, ...updated })) })).toBe(
      "step to 0",
    );
    expect(plan({ cluster, members: [old, updated, updated] })).toBe("step to 1");
  });

  test("a pod that does not exist is not passed over: it comes with the old template", () => {
    expect(plan({ members: [old, old, old, undefined, undefined], cluster: { healthy: false } })).toBe("wait");
  });
});

describe("the gate is shut", () => {
  const [first, second] = [old, updated];
  const shut: [string, Given, RegExp][] = [
    [
      "while the cluster is not Healthy",
      { cluster: { healthy: false, state: "Degraded" }, members: [old, old, old] },
      /not Healthy but Degraded/,
    ],
    [
      "while what is known of its health is from before a switchover",
      { cluster: { reported: false }, members: [old, old, old] },
      /clustering is just changing the cluster/,
    ],
    ["while a pod is not Ready", { members: [starting, old, old] }, /moco-test-0 is not Ready/],
    ["while a pod is ending", { members: [old, { terminating: true }, old] }, /moco-test-1 is ending/],
    [
      "while an updated pod is not there",
      { members: [first, old, undefined], set: { partition: 2 } },
      /moco-test-2 does not exist yet/,
    ],
    [
      "while the pod before is still the old one",
      { members: [first, old, old], set: { partition: 2 } },
      /moco-test-2 is about to be replaced/,
    ],
    [
      "while the updated pod starts",
      { members: [first, old, { ...second, ...starting }], set: { partition: 2 } },
      /moco-test-2 is not Ready/,
    ],
    ["while the next pod still gets its first data", { members: [old, old, starting] }, /moco-test-2 is not Ready/],
    [
      "while the newest edit is not carried out",
      { cluster: { reconciled: false }, members: [old, old, old] },
      /newest edit/,
    ],
    [
      "while Kubernetes has not seen the newest generation",
      { set: { observed: false }, members: [old, old, old] },
      /not seen/,
    ],
    ["while the StatefulSet is being made anew", { set: { remade: true }, members: [old, old, old] }, /made anew/],
    ["while reconciliation is stopped", { cluster: { stopped: true }, members: [old, old, old] }, /stopped/],
    ["while the pod must not be deleted", { members: [old, old, { protected: true }] }, /protected/],
    [
      "before anybody looked at the cluster",
      { cluster: { initialized: undefined, healthy: false, state: undefined }, members: [old, old, starting] },
      /not Ready/,
    ],
  ];
  test.each(shut)("%s", (_title, given, text) => {
    expect(plan(given)).toBe("wait");
    expect(reason(given)).toMatch(text);
  });

  test("until the updated pod has been Ready for 5 seconds", () => {
    const given = (milliseconds: number): Given => ({
      members: [old, old, { ...updated, readySince: now - milliseconds }],
      set: { partition: 2 },
    });
    expect(decide(snapshot(given(4000)))).toMatchObject({ kind: "wait", until: now + 1000 });
    expect(plan(given(5000))).toBe("step to 1");
  });
});

describe("what is broken anyway may be replaced", () => {
  const cluster = { healthy: false, state: "Degraded" };
  const cases: [string, Given, string][] = [
    ["a pod that fails", { cluster, members: [old, old, failing] }, "step to 2"],
    [
      "a pod that is no longer Ready",
      { cluster, members: [old, old, { ...starting, lostReadiness: true }] },
      "step to 2",
    ],
    ["a pod that is ending", { cluster, members: [old, old, { terminating: true }] }, "step to 2"],
    [
      "a failed attempt, by a corrected manifest",
      { cluster, members: [old, old, { ...failing, revision: "wrong" }] },
      "step to 2",
    ],
    ["the primary, if it fails", { cluster: { ...cluster, primary: 2 }, members: [old, old, failing] }, "step to 2"],
    ["but not if another one is down too", { cluster, members: [starting, old, failing] }, "wait"],
    ["nor if it is not its turn", { cluster, members: [failing, old, old] }, "wait"],
    [
      "though another one is down, if mysqld does not even run",
      { cluster, members: [dead, starting, dead] },
      "step to 2",
    ],
    [
      "which Kubernetes leaves there",
      { cluster, members: [old, starting, dead], set: { partition: 2 } },
      "delete-stuck-pod moco-test-2",
    ],
    ["but not while mysqld runs in it", { cluster, members: [old, starting, failing], set: { partition: 2 } }, "wait"],
  ];
  test.each(cases)("%s", (_title, given, expected) => expect(plan(given)).toBe(expected));
});

describe("an updated pod that fails stops the rollout", () => {
  const members = [old, old, { ...updated, ...dead }];
  test("and is named with the reason", () => {
    expect(plan({ members, set: { partition: 2 } })).toBe("stopped moco-test-2");
    expect(reason({ members, set: { partition: 2 } })).toBe(
      "moco-test-2 was updated and fails: the image can't be pulled",
    );
  });
  test("also at the last pod", () => {
    expect(plan({ members: [{ ...updated, ...dead }, updated, updated], set: { partition: 0 } })).toBe(
      "stopped moco-test-0",
    );
  });
  test("but one that fails later, for its own reasons, stops nothing", () => {
    expect(
      plan({ members: [{ ...updated, ...dead }, updated, updated], set: { partition: 0, currentRevision: "new" } }),
    ).toBe("done");
  });
  test("a partition that a person lowers is honoured", () => {
    expect(plan({ members, set: { partition: 1 } })).toBe("stopped moco-test-2");
    expect(plan({ members: [old, old, updated], set: { partition: 1 } })).toBe("wait");
  });
});

describe("before the primary's pod is stopped", () => {
  const members = [old, old, old];
  test("another instance becomes the primary", () => {
    expect(plan({ members, cluster: { primary: 2 } })).toBe("switchover-first moco-test-2");
  });
  test("which is waited for", () => {
    expect(plan({ members: [old, old, { demoting: true }], cluster: { primary: 2 } })).toBe("wait");
    expect(plan({ members: [old, old, { demoting: true }], cluster: { primary: 0 } })).toBe("step to 2");
  });
  test("in the last seconds in which the step itself has to wait, and not sooner", () => {
    const since = (milliseconds: number): Given => ({
      members: [old, { ...updated, readySince: now - milliseconds }, updated],
      set: { partition: 1 },
    });
    expect(plan(since(2_400))).toBe("wait");
    expect(plan(since(2_500))).toBe("switchover-first moco-test-0");
    expect(plan({ ...since(4_900), cluster: { primary: 2 } })).toBe("wait");
    expect(plan({ ...since(5_000), cluster: { primary: 2 } })).toBe("step to 0");
  });
  test("not before the cluster is Healthy", () => {
    expect(plan({ members, cluster: { primary: 2, healthy: false } })).toBe("wait");
  });
});

describe("a cluster that never worked", () => {
  const cluster = { initialized: false, healthy: false, state: "Incomplete" };
  const cases: [string, Given, string][] = [
    ["has no partition", { cluster, members: [failing, failing, failing] }, "step to 0"],
    [
      "loses pods of an old revision that are not Ready",
      { cluster, members: [failing, failing, { ...updated, ...starting }], set: { partition: 0 } },
      "delete-stuck-pod moco-test-1",
    ],
    [
      "down to the primary's",
      { cluster, members: [starting, { ...updated, ...starting }, { ...updated, ...starting }], set: { partition: 0 } },
      "delete-stuck-pod moco-test-0",
    ],
    [
      "which is told if the correction is none",
      {
        cluster,
        members: [
          { ...updated, ...failing },
          { ...updated, ...starting },
        ],
        set: { partition: 0 },
      },
      "stopped moco-test-0",
    ],
    [
      "is left alone while its data is cloned",
      { cluster: { ...cluster, state: "Cloning" }, members: [starting, starting, starting] },
      "wait",
    ],
    [
      "but not if the clone can't even start",
      { cluster: { ...cluster, state: "Cloning" }, members: [{ ...failing, running: false }, failing, failing] },
      "step to 0",
    ],
  ];
  test.each(cases)("%s", (_title, given, expected) => expect(plan(given)).toBe(expected));
});

test("a forced rollout has no partition, whatever the state", () => {
  const set = { forced: true, observed: false };
  expect(plan({ set, cluster: { healthy: false }, members: [starting, old, old] })).toBe("step to 0");
  expect(plan({ set: { ...set, partition: 0 }, members: [starting, old, old] })).toBe("done");
});
