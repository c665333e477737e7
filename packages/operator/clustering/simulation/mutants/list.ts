/** Bugs, one or more for each rule. None of them is in the production code: they come between it and the world. */
import type { GtidSet, InstanceState } from "@moco-ts/mysql";
import { reservedUuid } from "@moco-ts/mysql";
import type { Plan, Step } from "../../plan.ts";
import type { InstanceView, Snapshot } from "../../snapshot.ts";
import { ordinalOf } from "../objects.ts";
import { sound, withInstances, withRecords, withSurroundings, type Mutant } from "./wrap.ts";

const { decide, act } = sound;

export const mutants: readonly Mutant[] = [
  {
    rule: "1",
    bug: "turns semi-sync off before clients are cut off",
    subject: withInstances((instance, mysqld) => ({
      cutOff: (uuid, options, signal) => {
        mysqld()?.requireAcknowledgements(0);
        return instance.cutOff(uuid, options, signal);
      },
    })),
  },
  {
    rule: "1",
    bug: "cuts nobody off, and says that it did",
    subject: withInstances((instance) => ({
      cutOff: async (_uuid, _options, signal) => {
        const { executed } = await instance.observe(signal);
        return { complete: true, executed, problem: undefined };
      },
    })),
  },
  {
    rule: "2",
    bug: "takes no voter away from the old primary",
    subject: withInstances((instance) => {
      let isStopped = false;
      return {
        stopReceiver: async () => void (isStopped = true),
        observe: async (signal) => {
          const state = await instance.observe(signal);
          return isStopped && state.replica ? { ...state, replica: { ...state.replica, receiving: "no" } } : state;
        },
      };
    }),
  },
  {
    rule: "3",
    bug: "fails over with one voter too few",
    subject: {
      decide: (snapshot) => decide(isFailing(snapshot) ? withMoreAcknowledgements(snapshot) : snapshot),
      act: (plan, snapshot, surroundings, signal) => {
        if (!plan.steps.some(({ kind }) => kind === "failover")) return act(plan, snapshot, surroundings, signal);
        return act(
          plan,
          withMoreAcknowledgements(snapshot),
          {
            ...surroundings,
            readRecord: async (readSignal) => withMoreAcknowledgements(await surroundings.readRecord(readSignal)),
            writeRecord: (version, { primaryIndex, memory }, writeSignal) => {
              const acknowledgements = memory.acknowledgements - 1;
              const change = {
                ...(primaryIndex !== undefined && { primaryIndex }),
                memory: { ...memory, acknowledgements },
              };
              return surroundings.writeRecord(version, change, writeSignal);
            },
          },
          signal,
        );
      },
    },
  },
  {
    rule: "3",
    bug: "promotes another one than the best",
    subject: withSurroundings((surroundings, operator) => ({
      writeRecord: async (version, { primaryIndex, memory }, signal) => {
        const other = operator.cache.pods.findIndex(
          (pod, ordinal) => pod && ordinal !== primaryIndex && ordinal !== operator.cache.record.primaryIndex,
        );
        if (primaryIndex === undefined || other === -1) return surroundings.writeRecord(version, { memory }, signal);
        const state = await surroundings.instance(other)!.observe(signal);
        const change = { primaryIndex: other, memory: { ...memory, primary: state.uuid } };
        return surroundings.writeRecord(version, change, signal);
      },
    })),
  },
  {
    rule: "3",
    bug: "does not wait until the new primary has applied all",
    subject: withInstances(() => ({ hasExecuted: async () => true })),
  },
  {
    rule: "4",
    bug: "changes the source in a way that deletes the relay log",
    subject: withInstances((_instance, mysqld, { invariants }) => ({
      repoint: async (_uuid, source) => {
        const found = mysqld();
        if (found === undefined) throw new Error("connection refused");
        invariants.droppingRelay(found);
        found.disk.dropRelay();
        found.disk.channel = { sourceOrdinal: ordinalOf(source.host), attentive: true, sourceUuid: undefined };
      },
    })),
  },
  {
    rule: "5",
    bug: "waits for one acknowledgement less than it records",
    subject: withInstances((instance) => ({
      requireAcknowledgements: (uuid, count, signal) =>
        instance.requireAcknowledgements(uuid, Math.max(count - 1, 0), signal),
    })),
  },
  {
    rule: "5",
    bug: "admits a voter that has not received everything",
    subject: {
      decide,
      act: async (plan, snapshot, surroundings, signal) => {
        for (const step of plan.steps.filter((each) => each.kind === "admit")) {
          const { version, memory } = await surroundings.readRecord(signal);
          if (!memory || memory.voters.includes(step.uuid)) continue;
          const voters = [...memory.voters, step.uuid].sort();
          await surroundings.writeRecord(version, { memory: { ...memory, voters } }, signal);
        }
        return act(plan, snapshot, surroundings, signal);
      },
    },
  },
  {
    rule: "5",
    bug: "lets instances acknowledge before that is recorded",
    subject: {
      ...sound,
      decide: (snapshot) => withFollowers(decide(snapshot), true),
      act: (plan, snapshot, surroundings, signal) => {
        const { memory } = snapshot;
        const all = memory && { ...memory, voters: [...new Set([...memory.voters, ...uuidsOf(snapshot)])].sort() };
        const everybody = { ...snapshot, memory: all };
        if (!plan.perInstance.some(({ steps }) => steps.some(({ kind }) => kind === "follow"))) {
          return act(plan, snapshot, surroundings, signal);
        }
        return act(
          { ...plan, steps: [] },
          everybody,
          {
            ...surroundings,
            readRecord: async (readSignal) => ({ ...(await surroundings.readRecord(readSignal)), memory: all }),
          },
          signal,
        );
      },
    },
  },
  {
    rule: "5",
    bug: "forgets a voter that it can't reach",
    subject: {
      act,
      decide: (snapshot) => {
        const plan = decide(snapshot);
        const unknown = snapshot.memory?.voters.filter((uuid) => !uuidsOf(snapshot).includes(uuid)) ?? [];
        const dismissals = unknown.map((uuid): Step => ({ kind: "dismiss", uuid, reason: "it does not answer" }));
        return plan.steps.some(({ kind }) => kind === "failover" || kind === "remember")
          ? plan
          : { ...plan, steps: [...plan.steps, ...dismissals] };
      },
    },
  },
  {
    rule: "5",
    bug: "forgets the old primary's vote when it fails over",
    subject: withRecords((memory, before) => {
      const old = before.memory?.primary;
      return old === undefined || old === memory.primary
        ? memory
        : { ...memory, voters: memory.voters.filter((uuid) => uuid !== old), deposed: [] };
    }),
  },
  {
    rule: "5",
    bug: "records more acknowledgements before the primary waits for them",
    subject: {
      decide,
      act: async (plan, snapshot, surroundings, signal) => {
        const raise = plan.steps.find((each) => each.kind === "raise");
        if (raise) {
          const { version, memory } = await surroundings.readRecord(signal);
          const { acknowledgements } = raise;
          if (memory) await surroundings.writeRecord(version, { memory: { ...memory, acknowledgements } }, signal);
        }
        return act(plan, snapshot, surroundings, signal);
      },
    },
  },
  {
    rule: "6",
    bug: "opens a primary before enough voters have all that it has",
    subject: {
      act,
      decide: (snapshot) => {
        const plan = decide(snapshot);
        const primary = snapshot.instances[snapshot.primaryIndex];
        const isThere = primary?.state && primary.state.uuid === snapshot.memory?.primary && primary.state.readOnly;
        const isOther = plan.steps.some(({ kind }) => ["open", "failover", "switchover", "remember"].includes(kind));
        return isThere && !isOther ? { ...plan, steps: [...plan.steps, { kind: "open" }] } : plan;
      },
    },
  },
  {
    rule: "7",
    bug: "sees no errant transactions",
    subject: { act, decide: (snapshot) => decide(withoutErrants(snapshot)) },
  },
  {
    rule: "8",
    bug: "begins anew with an empty instance in the primary's place",
    subject: {
      act,
      decide: (snapshot) => {
        const plan = decide(snapshot);
        const { memory, instances, primaryIndex } = snapshot;
        const state = instances[primaryIndex]?.state;
        if (!memory || !state?.executed.isEmpty || state.uuid === memory.primary) return plan;
        const anew = { ...memory, primary: state.uuid, voters: [state.uuid], acknowledgements: 0, written: false };
        return { ...plan, steps: [{ kind: "remember", memory: anew }] };
      },
    },
  },
  {
    rule: "9",
    bug: "fails over as soon as it can't reach the primary itself",
    subject: {
      act,
      decide: (snapshot) =>
        decide(
          mapStates(snapshot, (state) => ({
            ...state,
            replica: state.replica && { ...state.replica, heardAgo: undefined },
          })),
        ),
    },
  },
  {
    rule: "10",
    bug: "believes its cache, and writes over what others wrote",
    subject: withSurroundings((surroundings, operator, { api }) => ({
      readRecord: async () => operator.cache.record,
      writeRecord: (_version, change, signal) => surroundings.writeRecord(api.objects.record.version, change, signal),
    })),
  },
  {
    rule: "11",
    bug: "promotes without waiting for the candidate, in a switchover",
    subject: {
      decide,
      act: (plan, snapshot, surroundings, signal) =>
        plan.steps.some(({ kind }) => kind === "switchover")
          ? withInstances(() => ({ hasExecuted: async () => true })).act(plan, snapshot, surroundings, signal)
          : act(plan, snapshot, surroundings, signal),
    },
  },
  {
    rule: "14",
    bug: "leaves commits waiting whose acknowledgement was missed",
    subject: { act, decide: (snapshot) => without(decide(snapshot), "nudge") },
  },
];

function isFailing({ instances, primaryIndex, memory }: Snapshot): boolean {
  return instances[primaryIndex]?.state?.uuid !== memory?.primary;
}

function withMoreAcknowledgements<T extends Pick<Snapshot, "memory">>(value: T): T {
  const { memory } = value;
  return { ...value, memory: memory && { ...memory, acknowledgements: memory.acknowledgements + 1 } };
}

function uuidsOf({ instances }: Snapshot): string[] {
  return instances.flatMap(({ state }) => (state ? [state.uuid] : []));
}

function without(plan: Plan, kind: Step["kind"]): Plan {
  return { ...plan, steps: plan.steps.filter((step) => step.kind !== kind) };
}

function withFollowers(plan: Plan, acknowledge: boolean): Plan {
  return {
    ...plan,
    perInstance: plan.perInstance.map((each) => ({
      ...each,
      steps: each.steps.map((step) => (step.kind === "follow" ? { ...step, acknowledge } : step)),
    })),
  };
}

function mapStates(snapshot: Snapshot, change: (state: InstanceState) => InstanceState): Snapshot {
  const map = (view: InstanceView): InstanceView => (view.state ? { ...view, state: change(view.state) } : view);
  return { ...snapshot, instances: snapshot.instances.map(map) };
}

/** Nobody has anything that the primary does not have, or did not commit itself. */
function withoutErrants(snapshot: Snapshot): Snapshot {
  const primary = snapshot.instances[snapshot.primaryIndex]?.state;
  if (primary === undefined) return { ...snapshot, errantBefore: [], suspects: new Set() };
  const own = [primary.uuid, reservedUuid];
  const sane = (set: GtidSet): GtidSet => set.intersect(primary.executed).union(set.from(own));
  const states = mapStates(snapshot, (state) => ({
    ...state,
    executed: sane(state.executed),
    replica: state.replica && { ...state.replica, retrieved: sane(state.replica.retrieved) },
  }));
  return { ...states, errantBefore: [], suspects: new Set() };
}
