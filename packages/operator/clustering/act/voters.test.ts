import { SimulatedClock } from "@moco-ts/base";
import type { Instance } from "@moco-ts/mysql";
import { expect, test } from "vitest";
import type { Memory } from "../snapshot.ts";
import { beginRound } from "../testing/rounds.ts";
import { gtids, snapshot, uuids, type Changes } from "../testing/snapshots.ts";
import { dismiss } from "./voters.ts";

/** What is recorded when instance 2 is dismissed, which may have acknowledged a commit of the primary that still waits. */
async function dismissed(one: Changes, received = "a:11"): Promise<Memory | undefined> {
  const before = snapshot({
    replicas: 5,
    instances: {
      0: { state: { committing: gtids("a:11") } },
      1: one,
      2: { state: { acknowledges: false, replica: { receiving: "no", retrieved: gtids(received) } } },
      3: { state: { replica: { retrieved: gtids("a:1-11") } } },
      4: { state: null },
    },
  });
  const clock = new SimulatedClock();
  const instance = (ordinal: number): Instance | undefined => {
    const { state } = before.instances[ordinal]!;
    return state && ({ observe: () => Promise.resolve(state) } as Partial<Instance> as Instance);
  };
  const { round, written } = await beginRound(before, { clock, instance });
  const end = dismiss(round, uuids[2]!);
  end.catch(() => undefined);
  await clock.advance(10_000);
  await end;
  return written.at(-1)?.memory;
}

test("a voter is forgotten once enough others have what it has acknowledged", async () => {
  const memory = await dismissed({ state: { replica: { retrieved: gtids("a:1-11") } } });
  expect(memory?.voters).not.toContain(uuids[2]);
});

test("a voter is not forgotten while others lack a commit that waits: its acknowledgement of that still counts", async () => {
  await expect(dismissed({})).rejects.toMatchObject({ code: "CLUSTERING_NOT_RECEIVED" });
});

test("a voter is forgotten though others lack a commit that waits, if it never got that: it can't have acknowledged it", async () => {
  const memory = await dismissed({}, "a:1-10");
  expect(memory?.voters).not.toContain(uuids[2]);
});
