import type { Instance } from "@moco-ts/mysql";
import { expect, test } from "vitest";
import { beginRound } from "../testing/rounds.ts";
import { gtids, snapshot, uuids, type Changes, type SnapshotChanges } from "../testing/snapshots.ts";
import { failover } from "./failover.ts";

/** Instance 0 is gone. Returns whom the record names in the end, and whose appliers were started. */
async function failedOver(
  instances: Record<number, Changes>,
  memory?: SnapshotChanges["memory"],
): Promise<{ to: unknown; started: number[] }> {
  const before = snapshot({ instances: { 0: { state: null }, ...instances }, ...(memory && { memory }) });
  const started: number[] = [];
  const instance = (ordinal: number): Instance => {
    const state = before.instances[ordinal]!.state!;
    const replica = { ...state.replica!, receiving: "no" as const };
    const fake: Partial<Instance> = {
      stopReceiver: () => (before.instances[ordinal]!.cloning ? new Promise(() => undefined) : Promise.resolve()),
      observe: () => Promise.resolve({ ...state, replica }),
      startApplier: () => Promise.resolve(void started.push(ordinal)),
      hasExecuted: () => Promise.resolve(replica.applying || started.includes(ordinal)),
    };
    return fake as Instance;
  };
  const instanceAt = (): Instance =>
    ({ cutOff: () => Promise.reject(new Error("ECONNREFUSED")) }) as Partial<Instance> as Instance;
  const { round, written } = await beginRound(before, { instance, instanceAt });
  await failover(round, "it does not answer");
  return { to: written.at(-1)?.primaryIndex, started };
}

const behind = { executed: gtids("a:1-4") };

test("of two that have received the same, the one that has less to apply takes over: writers wait for that", async () => {
  expect(await failedOver({ 1: { state: behind } })).toEqual({ to: 2, started: [] });
  expect(await failedOver({ 2: { state: behind } })).toEqual({ to: 1, started: [] });
});

const stopped = { receiving: "no", applying: false } as const;
const restarted: Changes = { state: { ...behind, replica: { ...stopped, heardAgo: undefined } } };
const less: Changes = { state: { ...behind, replica: { retrieved: gtids("a:1-9") } } };

test("one that has restarted applies what it had received before that", async () => {
  expect(await failedOver({ 1: restarted, 2: less })).toEqual({ to: 1, started: [1] });
});

test("an applier that a person has stopped is not started, however often a failover is tried", async () => {
  for (const receiving of ["yes", "no"] as const) {
    const held: Changes = { state: { ...behind, replica: { receiving, applying: false, heardAgo: 9_000 } } };
    await expect(failedOver({ 1: held, 2: less })).rejects.toMatchObject({ code: "FAILOVER_NO_CANDIDATE" });
  }
});

test("nobody waits for an instance that is being cloned into, or emptied for that", async () => {
  const emptied: Changes = { cloning: true, state: { acknowledges: false } };
  expect(await failedOver({ 2: emptied }, { voters: uuids.slice(0, 2) })).toEqual({ to: 1, started: [] });
});
