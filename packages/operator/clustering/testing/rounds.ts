/** Rounds for tests of what is done: nothing outside is there but what the test is about. */
import { silentLogger, systemClock } from "@moco-ts/base";
import { Round } from "../act/round.ts";
import type { Record, Surroundings } from "../ports.ts";
import type { Snapshot } from "../snapshot.ts";

export interface TestRound {
  readonly round: Round;
  /** What was recorded, in this order. */
  readonly written: Pick<Record, "primaryIndex" | "memory">[];
}

export async function beginRound(before: Snapshot, parts: Partial<Surroundings>): Promise<TestRound> {
  const { primaryIndex, memory } = before;
  const written: TestRound["written"] = [];
  const nothing = (): Promise<void> => Promise.resolve();
  const surroundings: Partial<Surroundings> = {
    clock: systemClock,
    log: silentLogger,
    settling: { isSettled: true },
    readRecord: () => Promise.resolve({ version: "1", primaryIndex, memory }),
    writeRecord: (version, change) => {
      const record = { primaryIndex, ...change };
      written.push(record);
      return Promise.resolve({ version, ...record });
    },
    label: nothing,
    forgetRequests: nothing,
    tell: () => undefined,
    count: () => undefined,
    ...parts,
  };
  const round = await Round.begin(before, surroundings as Surroundings, new AbortController().signal);
  return { round, written };
}
