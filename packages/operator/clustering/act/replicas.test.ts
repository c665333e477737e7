import type { Instance, InstanceState } from "@moco-ts/mysql";
import { expect, test } from "vitest";
import { beginRound } from "../testing/rounds.ts";
import { snapshot, uuids } from "../testing/snapshots.ts";
import { runInstanceStep } from "./replicas.ts";

const seen = { receiving: "yes", applying: false } as const;

/** What is done to make instance 1 acknowledge, if its channel was as in `seen`, and is like this by now. */
async function restart(
  replica: Pick<NonNullable<InstanceState["replica"]>, "receiving" | "applying">,
): Promise<string[]> {
  const before = snapshot({ instances: { 1: { state: { acknowledges: false, replica: seen } } } });
  const state = snapshot({ instances: { 1: { state: { replica } } } }).instances[1]!.state!;
  const calls: string[] = [];
  const noted = (name: string) => () => Promise.resolve(void calls.push(name));
  const instance = {
    observe: () => Promise.resolve(state),
    acknowledge: noted("acknowledge"),
    startApplier: noted("startApplier"),
    startReceiver: noted("startReceiver"),
    stopReceiver: noted("stopReceiver"),
  } as Partial<Instance> as Instance;
  const sourceFor = () => ({ host: "", port: 0, user: "", password: "" });
  const { round } = await beginRound(before, { instance: () => instance, sourceFor });
  await runInstanceStep(round, 1, uuids[1]!, { kind: "follow", acknowledge: true, how: "restart" });
  return calls;
}

test("an applier that a person stopped stays so when a receiver is restarted", async () => {
  expect(await restart(seen)).toEqual(["stopReceiver", "acknowledge", "startReceiver"]);
});

test("a replica whose mysqld has restarted since it was looked at applies again: nobody stopped its applier", async () => {
  expect(await restart({ receiving: "no", applying: false })).toContain("startApplier");
});
