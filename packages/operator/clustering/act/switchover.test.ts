import type { Cut, Instance } from "@moco-ts/mysql";
import { expect, test } from "vitest";
import type { Snapshot } from "../snapshot.ts";
import { beginRound } from "../testing/rounds.ts";
import { gtids, snapshot, uuids } from "../testing/snapshots.ts";
import { switchover } from "./switchover.ts";

const complete: Cut = { complete: true, executed: gtids("a:1-10"), problem: undefined };

test("a primary that copies another cluster gets nothing more while it hands over", async () => {
  const before = snapshot({
    wanted: { intermediate: true },
    memory: { acknowledgements: 0, voters: [uuids[0]!] },
    instances: { 0: { state: { replica: {}, source: { enabled: false } } } },
  });
  let isCopying = true;
  // Its set of transactions is never twice the same while more come.
  const cutOff = (): Promise<Cut> =>
    Promise.resolve(isCopying ? { complete: false, executed: undefined, problem: "it changes" } : complete);
  const stopReceiver = (ordinal: number): Promise<void> => {
    if (ordinal === 0) isCopying = false;
    return Promise.resolve();
  };
  const { calls, written } = await handOver(before, { cutOff, stopReceiver });
  expect(written).toEqual([1]);
  expect(calls).toEqual([
    "hasExecuted 1",
    "stopReceiver 0",
    "hasExecuted 0",
    "cutOff 0",
    "hasExecuted 1",
    "stopReceiver 1",
  ]);
});

test("its successor leaves while a primary stops waiting for acknowledgements, which else takes a second", async () => {
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  const { calls, written } = await handOver(snapshot(), {
    cutOff: () => Promise.resolve(complete),
    requireAcknowledgements: () => left,
    stopReceiver: () => Promise.resolve(leave()),
  });
  expect(written).toEqual([1]);
  expect(calls.slice(-2)).toEqual(["requireAcknowledgements 0", "stopReceiver 1"]);
});

test("it does not matter if a primary can't be told to stop waiting for acknowledgements: it is told so again", async () => {
  const { written } = await handOver(snapshot(), {
    cutOff: () => Promise.resolve(complete),
    requireAcknowledgements: () => Promise.reject(new Error("it takes too long")),
  });
  expect(written).toEqual([1]);
});

type Answers = {
  readonly [name in "cutOff" | "requireAcknowledgements" | "stopReceiver"]?: (ordinal: number) => unknown;
};

/** From instance 0 to instance 1. Returns what was done to whom, and whom the record names in the end. */
async function handOver(before: Snapshot, answers: Answers): Promise<{ calls: string[]; written: unknown[] }> {
  const calls: string[] = [];
  const instance = (ordinal: number): Instance => {
    const answer = (name: string, result: unknown) => async () => {
      calls.push(`${name} ${ordinal}`);
      return typeof result === "function" ? (result as (ordinal: number) => unknown)(ordinal) : result;
    };
    const fake = {
      observe: () => Promise.resolve(before.instances[ordinal]!.state!),
      hasExecuted: answer("hasExecuted", true),
      cutOff: answer("cutOff", answers.cutOff),
      requireAcknowledgements: answer("requireAcknowledgements", answers.requireAcknowledgements),
      stopReceiver: answer("stopReceiver", answers.stopReceiver),
    };
    return fake as Partial<Instance> as Instance;
  };
  const { round, written } = await beginRound(before, { instance });
  await switchover(round, 1, "it was asked to step down");
  return { calls, written: written.map(({ primaryIndex }) => primaryIndex) };
}
