import type { MySQLCluster } from "@moco-ts/api";
import { SimulatedClock } from "@moco-ts/base";
import type { Pod } from "@moco-ts/kube";
import type { Instance } from "@moco-ts/mysql";
import { expect, test } from "vitest";
import { observe } from "./observe.ts";
import { snapshot } from "./testing/snapshots.ts";
import { Trace } from "./trace.ts";

const cluster = {
  metadata: { name: "test", namespace: "default" },
  spec: { replicas: 1, podTemplate: { spec: { containers: [] } } },
} as unknown as MySQLCluster;
const pod = { metadata: { name: "moco-test-0", uid: "1" }, status: { podIP: "10.0.0.1" } } as unknown as Pod;
const { state } = snapshot({ replicas: 1 }).instances[0]!;

/** What is seen by a process that sleeps for so long each time that an instance does not answer, which then is back. */
async function lookWhileAsleep(...milliseconds: number[]) {
  const clock = new SimulatedClock();
  const naps = milliseconds.values();
  const instance = {
    observe: async () => {
      const { value: nap } = naps.next();
      if (nap === undefined) return state;
      await clock.advance(nap);
      throw new Error("took longer than 1000 ms");
    },
  } as unknown as Instance;
  const sight = {
    cluster,
    pods: [pod],
    updateRevision: undefined,
    trace: new Trace(clock),
    clock,
    instanceOf: () => instance,
    instanceAt: () => instance,
  };
  return (await observe(sight, new AbortController().signal)).instances[0]!;
}

test("an instance that does not answer is written down, with the time since it was asked", async () => {
  expect(await lookWhileAsleep(1_000)).toMatchObject({
    state: undefined,
    silence: { reason: expect.stringContaining("took longer"), milliseconds: 1_000 },
  });
});

test("a process that was asleep looks again: what it saw before may be true no more", async () => {
  const isBack = { state: { uuid: state!.uuid }, silence: undefined };
  expect(await lookWhileAsleep(12_000)).toMatchObject(isBack);
  expect(await lookWhileAsleep(9_000, 12_000)).toMatchObject(isBack);
});

test("a primary that did not answer is waited for first, so that what the others know of it is new", async () => {
  const clock = new SimulatedClock();
  const trace = new Trace(clock);
  const { instances } = snapshot();
  const podOf = (ordinal: number): Pod => ({
    metadata: { name: `moco-test-${ordinal}`, uid: `${ordinal}` },
    status: { podIP: `10.0.0.${ordinal}` },
  });
  const look = async (isAnswering: () => boolean): Promise<string> => {
    const asked: number[] = [];
    const instanceOf = ({ metadata }: Pod): Instance => {
      const ordinal = Number(metadata!.uid);
      const ask = () => {
        asked.push(ordinal);
        if (ordinal > 0 || isAnswering()) return Promise.resolve(instances[ordinal]!.state!);
        return Promise.reject(new Error("ETIMEDOUT"));
      };
      return { observe: ask } as Partial<Instance> as Instance;
    };
    const sight = {
      cluster: { ...cluster, spec: { ...cluster.spec, replicas: 3 } },
      pods: [0, 1, 2].map(podOf),
      updateRevision: undefined,
      trace,
      clock,
      instanceOf,
      instanceAt: () => instanceOf(podOf(0)),
    };
    await observe(sight, new AbortController().signal);
    return asked.join();
  };
  expect(await look(() => false)).toBe("1,2,0");
  expect(await look(() => false)).toBe("0,1,2");
  // Otherwise it comes last, so that it has whatever the others have.
  expect(await look(() => true)).toBe("0,1,2,0");
  expect(await look(() => true)).toBe("1,2,0");
});
