import type { Instance, ReplicaSide } from "@moco-ts/mysql";
import { expect, test } from "vitest";
import { beginRound } from "../testing/rounds.ts";
import { snapshot, uuids } from "../testing/snapshots.ts";
import { runInstanceStep } from "./replicas.ts";

/** What is done to make instance 1 acknowledge, whose channel was like this when it was looked at. */
async function restart(replica: Partial<ReplicaSide>): Promise<string[]> {
  const before = snapshot({ instances: { 1: { state: { acknowledges: false, replica } } } });
  const calls: string[] = [];
  const noted = (name: string) => () => Promise.resolve(void calls.push(name));
  const instance = {
    acknowledge: noted("acknowledge"),
    startReplica: noted("startReplica"),
    startReceiver: noted("startReceiver"),
    stopReceiver: noted("stopReceiver"),
  } as Partial<Instance> as Instance;
  const sourceFor = () => ({ host: "", port: 0, user: "", password: "" });
  const { round } = await beginRound(before, { instance: () => instance, sourceFor });
  await runInstanceStep(round, 1, uuids[1]!, { kind: "follow", acknowledge: true, how: "restart" });
  return calls;
}

test("an applier that a person stopped stays so when a receiver is restarted", async () => {
  expect(await restart({ applying: false })).toEqual(["stopReceiver", "acknowledge", "startReceiver"]);
});

test("another one is started with the receiver, whatever it did before: mysqld may have restarted at any moment", async () => {
  const expected = ["stopReceiver", "acknowledge", "startReplica"];
  expect(await restart({})).toEqual(expected);
  expect(await restart({ applying: false, receiving: "no" })).toEqual(expected);
  expect(await restart({ applying: false, interrupted: true })).toEqual(expected);
});
