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
  const { surroundings, written } = surroundingsOf(before, parts);
  return { round: await Round.begin(before, surroundings, new AbortController().signal), written };
}

export function surroundingsOf(
  { primaryIndex, memory }: Snapshot,
  parts: Partial<Surroundings>,
): { surroundings: Surroundings; written: TestRound["written"] } {
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
  return { surroundings: surroundings as Surroundings, written };
}
