/** Bugs in how a primary is cut off, and another one chosen: rules 1 to 4, 10 and 11. */
import { sleep } from "@moco-ts/base";
import type { InstanceState } from "@moco-ts/mysql";
import { decide } from "../../decide/decide.ts";
import type { Record, Settling } from "../../ports.ts";
import type { Snapshot } from "../../snapshot.ts";
import { ordinalOf } from "../objects.ts";
import { sound, withInstances, withSurroundings, type Mutant } from "./wrap.ts";

export const fencingMutants: readonly Mutant[] = [
  {
    rule: "1",
    bug: "turns semi-sync off before clients are cut off",
    subject: withInstances((instance, { mysqld }) => ({
      cutOff: (uuid, options, signal) => {
        mysqld()?.requireAcknowledgements(0);
        return instance.cutOff(uuid, options, signal);
      },
    })),
  },
  {
    rule: "1",
    bug: "cuts nobody off in a switchover, and says that it did",
    subject: withInstances(
      (instance) => ({
        cutOff: async (_uuid, _options, signal) => {
          const { executed } = await instance.observe(signal);
          return { complete: true, executed, problem: undefined };
        },
      }),
      "switchover",
    ),
  },
  {
    rule: "2",
    bug: "takes no voter away from the old primary",
    focus: ["cutOff", "cutFromOperators", "cutFromPeers"],
    subject: withInstances((instance) => {
      let isStopped = false;
      return {
        stopReceiver: async () => void (isStopped = true),
        observe: async (signal) => {
          const state = await instance.observe(signal);
          return isStopped && state.replica ? { ...state, replica: { ...state.replica, receiving: "no" } } : state;
        },
      };
    }, "failover"),
  },
  {
    rule: "3",
    bug: "fails over with one voter too few",
    focus: ["lastRowsOutOfReach", "lastRowsFrozen"],
    subject: {
      ...withSurroundings((surroundings, { plan }) => {
        if (!plan.steps.some(({ kind }) => kind === "failover")) return {};
        return {
          readRecord: async (signal) => withMoreAcknowledgements(await surroundings.readRecord(signal)),
          writeRecord: (version, { memory, ...rest }, signal) => {
            const acknowledgements = memory.acknowledgements - 1;
            return surroundings.writeRecord(version, { ...rest, memory: { ...memory, acknowledgements } }, signal);
          },
        };
      }),
      decide: (snapshot) => decide(isWithoutPrimary(snapshot) ? withMoreAcknowledgements(snapshot) : snapshot),
      act: (plan, snapshot, surroundings, signal) => {
        const isFailover = plan.steps.some(({ kind }) => kind === "failover");
        return sound.act(plan, isFailover ? withMoreAcknowledgements(snapshot) : snapshot, surroundings, signal);
      },
    },
  },
  {
    rule: "3",
    bug: "promotes another one than the best",
    subject: withSurroundings((surroundings, { operator }) => ({
      writeRecord: async (version, change, signal) => {
        const { record, pods } = operator.cache;
        const other = pods.findIndex(
          (pod, index) => pod && index !== change.primaryIndex && index !== record.primaryIndex,
        );
        if (change.primaryIndex === undefined || other === -1) return surroundings.writeRecord(version, change, signal);
        const { uuid } = await surroundings.instance(other)!.observe(signal);
        const memory = { ...change.memory, primary: uuid };
        return surroundings.writeRecord(version, { primaryIndex: other, memory }, signal);
      },
    })),
  },
  {
    rule: "3",
    bug: "does not ask voters again after it has stopped them",
    focus: ["briefCutWithLaggard"],
    subject: withInstances((instance, { operator }) => {
      let state: InstanceState | undefined;
      return {
        stopReceiver: async (uuid, signal) => {
          state = await instance.observe(signal);
          await sleep(operator.process.clock, 3_000, signal);
          await instance.stopReceiver(uuid, signal);
        },
        observe: async (signal) => {
          const { replica, ...rest } = state ?? (await instance.observe(signal));
          return { ...rest, replica: replica && { ...replica, receiving: "no" } };
        },
      };
    }, "failover"),
  },
  {
    rule: "4",
    bug: "changes the source in a way that deletes the relay log",
    focus: ["unappliedRelay", "slowApplier", "kill"],
    subject: withInstances((_instance, { mysqld, world: { invariants } }) => ({
      repoint: async (_uuid, source) => {
        const found = mysqld();
        if (found === undefined) throw new Error("connection refused");
        invariants.droppingRelay(found);
        found.disk.dropRelay();
        found.disk.channel = { sourceOrdinal: ordinalOf(source.host), attentive: true, sourceUuid: undefined };
        invariants.lessened();
      },
    })),
  },
  {
    rule: "10",
    bug: "believes its cache, and writes over what others wrote",
    focus: ["lateRequests"],
    subject: withSurroundings((surroundings, { operator }) => ({
      readRecord: async () => operator.cache.record,
      writeRecord: (_version, change, signal) => surroundings.writeRecord("", change, signal),
    })),
  },
  {
    rule: "10",
    bug: "goes on while a write of the record may still arrive",
    focus: ["lateFailover"],
    subject: withSurroundings(() => ({ settling: alwaysSettled })),
  },
  {
    rule: "11",
    bug: "does not wait for the candidate in a switchover",
    focus: ["slowSuccessor"],
    subject: withInstances(() => ({ hasExecuted: async () => true }), "switchover"),
  },
];

const alwaysSettled: Settling = {
  get isSettled() {
    return true;
  },
  set isSettled(_) {
    // Whatever happens to a write.
  },
};

function isWithoutPrimary({ instances, primaryIndex, memory }: Snapshot): boolean {
  return instances[primaryIndex]?.state?.uuid !== memory?.primary;
}

function withMoreAcknowledgements<T extends Snapshot | Record>(value: T): T {
  const { memory } = value;
  return { ...value, memory: memory && { ...memory, acknowledgements: memory.acknowledgements + 1 } };
}
