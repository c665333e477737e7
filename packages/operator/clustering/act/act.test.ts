import { SimulatedClock } from "@moco-ts/base";
import type { Instance, InstanceState } from "@moco-ts/mysql";
import { expect, test } from "vitest";
import { decide } from "../decide/decide.ts";
import { surroundingsOf } from "../testing/rounds.ts";
import { gtids, host, snapshot, uuids } from "../testing/snapshots.ts";
import { act } from "./act.ts";

/** Instance 1 has been promoted and has a transaction that instance 2 gets once it follows. The old primary is gone. */
const before = snapshot({
  primaryIndex: 1,
  memory: { primaries: uuids.slice(0, 2), deposed: [uuids[0]!] },
  instances: {
    0: { state: null },
    1: { state: { executed: gtids("a:1-11") } },
    2: { state: { replica: { sourceHost: host(0), receiving: "no" } } },
  },
});

test("a replica is given its source before anybody waits for it to receive something", async () => {
  const clock = new SimulatedClock();
  const calls: string[] = [];
  const instance = (ordinal: number): Instance => {
    const { replica, ...state } = before.instances[ordinal]!.state!;
    const follows = (): boolean => calls.includes(`startReplica ${ordinal}`);
    const observe = (): Promise<InstanceState> =>
      Promise.resolve({
        ...state,
        replica: replica && follows() ? { ...replica, retrieved: gtids("a:1-11") } : replica,
      });
    const done = (name: string) => () => Promise.resolve(void calls.push(`${name} ${ordinal}`));
    const fake: Partial<Instance> = {
      observe,
      stopReceiver: done("stopReceiver"),
      acknowledge: done("acknowledge"),
      repoint: done("repoint"),
      startReplica: done("startReplica"),
    };
    return fake as Instance;
  };
  const sourceFor = (ordinal: number) => ({ host: host(ordinal), port: 3306, user: "", password: "" });
  const { surroundings, written } = surroundingsOf(before, { clock, instance, sourceFor });
  const plan = decide(before);
  expect(plan.steps).toMatchObject([{ kind: "dismiss", uuid: uuids[0] }]);
  expect(await act(plan, before, surroundings, new AbortController().signal)).toEqual([]);
  expect(calls.at(-1)).toBe("startReplica 2");
  expect(written.at(-1)?.memory?.voters).toEqual([uuids[1], uuids[2]]);
  expect(clock.monotonic()).toBe(0);
});
