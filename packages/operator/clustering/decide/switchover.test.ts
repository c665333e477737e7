import { describe, expect, test } from "vitest";
import { plan } from "../testing/plans.ts";
import { gtids, uuids, type SnapshotChanges } from "../testing/snapshots.ts";

const to = (changes: SnapshotChanges): unknown => plan(changes).steps[0];
/** Long enough for nodes to know. */
const withdrawn = { role: undefined };
const ending = { 0: { pod: { terminating: true } } };
const demoted = { 0: { pod: { demote: true } } };

describe("a primary that is about to go", () => {
  test.each([
    ["its Pod is being deleted", { pod: { terminating: true } }],
    ["process 1 is ending it", { state: { stopping: true } }],
    ["its Pod is gone and it still runs", { pod: null }],
  ])("hands over at once when %s", (_, primary) => {
    expect(to({ instances: { 0: primary } })).toMatchObject({ kind: "switchover", to: 1 });
  });
  test("hands over to an instance that is already updated, in a rollout", () => {
    expect(to({ instances: { ...ending, 1: { pod: { updated: false } } } })).toMatchObject({ to: 2 });
  });
  test("hands over to the one that has applied most", () => {
    expect(to({ instances: { ...ending, 1: { state: { executed: gtids("a:1-8") } } } })).toMatchObject({ to: 2 });
  });
  test("is not cut off again at once after that failed", () => {
    expect(to({ instances: ending, rest: { holdSwitchover: true } })).toBeUndefined();
  });
  test("hands over to nobody under whose name somebody has what it lacks: it would give those numbers to others", () => {
    const errant = { executed: gtids("a:1-10,b:3"), acknowledges: false, replica: { receiving: "no" } } as const;
    const instances = { ...ending, 2: { state: errant } };
    const memory = { voters: [uuids[0]!, uuids[1]!], primaries: [uuids[0]!, uuids[1]!] };
    const rest = { errantBefore: [2] };
    expect(to({ memory, rest, instances })).not.toMatchObject({ kind: "switchover" });
    const others = { ...errant, executed: gtids("a:1-10,x:3") };
    expect(to({ memory, rest, instances: { ...ending, 2: { state: others } } })).toMatchObject({ to: 1 });
  });
  test("hands over to nobody whose applier was stopped", () => {
    const stopped = { state: { replica: { applying: false } } };
    expect(to({ instances: { ...ending, 1: stopped, 2: stopped } })).toBeUndefined();
  });
});

describe("a primary that is asked to step down", () => {
  test("hands over once its successor has left the readers' Service, and nodes had the time to learn of it", () => {
    const first = plan({ instances: demoted });
    expect(first).toMatchObject({ state: "Healthy", steps: [], again: 1_300 });
    expect(first.labels).toEqual([{ kind: "label", ordinal: 1, role: undefined }]);
    const second = plan({ instances: { ...demoted, 1: { pod: withdrawn, inRole: 500 } } });
    expect(second).toMatchObject({ steps: [], labels: [], again: 800 });
    const third = plan({ instances: { ...demoted, 1: { pod: withdrawn, inRole: 1_300 } } });
    expect(third.steps).toMatchObject([{ kind: "switchover", to: 1 }]);
  });
  test("hands over to whom it chose before, though another one has applied more since", () => {
    const chosen = { pod: withdrawn, inRole: 500, state: { executed: gtids("a:1-9") } };
    expect(plan({ instances: { ...demoted, 1: chosen } })).toMatchObject({ labels: [], again: 800 });
  });
  test("hands over at once if readers had nobody else", () => {
    const readersOfOne = { ...demoted, 2: { pod: { role: undefined }, state: null } };
    expect(to({ instances: readersOfOne })).toMatchObject({ kind: "switchover", to: 1 });
  });
  test("hands over at once if it is about to go as well", () => {
    const both = { 0: { pod: { demote: true, terminating: true } } };
    expect(to({ instances: both })).toMatchObject({ kind: "switchover", to: 1 });
  });
  test("hands over to whom the user asked for", () => {
    const instances = { 0: { pod: { demote: true, demoteTo: 2 } }, 2: { pod: withdrawn } };
    expect(to({ instances })).toMatchObject({ to: 2 });
  });
  test("gives its successor back to readers if it is no longer asked to", () => {
    const made = plan({ instances: { 1: { pod: withdrawn } } });
    expect(made.labels).toEqual([{ kind: "label", ordinal: 1, role: "replica" }]);
  });
  test("stays while replicas lag too far behind, and its Pod must not be deleted", () => {
    const made = plan({
      wanted: { maxDelayForDeletion: 10 },
      instances: { ...demoted, 2: { state: { replica: { secondsBehind: 11 } } } },
    });
    expect(made.steps).toEqual([]);
    expect(made.labels).toEqual([{ kind: "prevent-delete", ordinal: 0, prevent: true }]);
  });
});
