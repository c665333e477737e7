import { silentLogger, systemClock } from "@moco-ts/base";
import type { Instance } from "@moco-ts/mysql";
import { expect, test } from "vitest";
import type { Surroundings } from "../ports.ts";
import { gtids, snapshot, uuids } from "../testing/snapshots.ts";
import { Round } from "./round.ts";
import { switchover } from "./switchover.ts";

const signal = new AbortController().signal;

test("a primary that copies another cluster gets nothing more while it hands over", async () => {
  const before = snapshot({ wanted: { intermediate: true }, memory: { acknowledgements: 0, voters: [uuids[0]!] } });
  const calls: string[] = [];
  let isCopying = true;
  const instance = (ordinal: number): Instance => {
    const state = { ...before.instances[ordinal]!.state!, replica: before.instances[1]!.state!.replica };
    const note = (what: string): void => void calls.push(`${what} ${ordinal}`);
    const fake: Partial<Instance> = {
      observe: () => Promise.resolve(state),
      hasExecuted: () => (note("hasExecuted"), Promise.resolve(true)),
      stopReceiver: () => {
        if (ordinal === 0) isCopying = false;
        return (note("stopReceiver"), Promise.resolve());
      },
      // Its set of transactions is never twice the same while more come.
      cutOff: () => {
        const complete = !isCopying;
        return Promise.resolve({ complete, executed: complete ? gtids("a:1-10") : undefined, problem: "it changes" });
      },
    };
    return fake as Instance;
  };
  const record = { version: "1", primaryIndex: 0, memory: before.memory };
  const written: (number | undefined)[] = [];
  const nothing = (): Promise<void> => Promise.resolve();
  const surroundings: Partial<Surroundings> = {
    clock: systemClock,
    log: silentLogger,
    settling: { isSettled: true },
    instance,
    readRecord: () => Promise.resolve(record),
    writeRecord: (_, { primaryIndex }) => {
      written.push(primaryIndex);
      return Promise.resolve(record);
    },
    label: nothing,
    forgetRequests: nothing,
    tell: () => undefined,
    count: () => undefined,
  };
  const round = await Round.begin(before, surroundings as Surroundings, signal);
  await switchover(round, 1, "it was asked to step down");
  expect(written).toEqual([1]);
  expect(calls.slice(0, 3)).toEqual(["hasExecuted 1", "stopReceiver 0", "hasExecuted 0"]);
});
