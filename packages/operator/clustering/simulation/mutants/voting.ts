/** Bugs in who votes and how many of them count, and in opening a primary: rules 5 to 9, 13 and 14. */
import { reservedUuid, type GtidSet, type InstanceState } from "@moco-ts/mysql";
import { decide } from "../../decide/decide.ts";
import type { Plan, Step } from "../../plan.ts";
import type { InstanceView, Snapshot } from "../../snapshot.ts";
import { first, sound, withInstances, withSurroundings, type Mutant } from "./wrap.ts";

export const votingMutants: readonly Mutant[] = [
  {
    rule: "5",
    bug: "waits for one acknowledgement less than it records",
    subject: {
      ...sound,
      // Nobody notices, since what is read back is what was asked for.
      ...withInstances((instance) => {
        let wanted: number | undefined;
        return {
          requireAcknowledgements: (uuid, count, signal) => {
            wanted = count;
            return instance.requireAcknowledgements(uuid, Math.max(count - 1, 0), signal);
          },
          open: (uuid, count, signal) => instance.open(uuid, Math.max(count - 1, 0), signal),
          observe: async (signal) => {
            const state = await instance.observe(signal);
            const source = { ...state.source, enabled: true, active: true, acknowledgements: wanted ?? 0 };
            return wanted === undefined ? state : { ...state, source };
          },
        };
      }),
    },
  },
  {
    rule: "5",
    bug: "admits a voter that has not received everything",
    focus: ["kill", "slowNetwork", "slowReceiver", "scale"],
    subject: {
      ...first("admit", async ({ uuid }, memory, write) => {
        if (!memory.voters.includes(uuid)) await write({ ...memory, voters: [...memory.voters, uuid].sort() });
      }),
    },
  },
  {
    rule: "5",
    bug: "lets an instance acknowledge before that is recorded",
    subject: withSurroundings((surroundings, { plan, world }) => {
      for (const step of plan.steps) {
        const mysqld = step.kind === "admit" ? world.machines.of(step.ordinal) : undefined;
        if (mysqld === undefined || mysqld.frozen) continue;
        mysqld.acknowledges = true;
        world.replication.stopReceiver(mysqld);
        world.replication.startReceiver(mysqld);
      }
      return surroundings;
    }),
  },
  {
    rule: "5",
    bug: "forgets a voter that it can't reach",
    subject: {
      ...sound,
      decide: (snapshot) => {
        const plan = decide(snapshot);
        const known = snapshot.instances.flatMap(({ state }) => (state ? [state.uuid] : []));
        const unknown = snapshot.memory?.voters.filter((uuid) => !known.includes(uuid)) ?? [];
        const dismissals = unknown.map((uuid): Step => ({ kind: "dismiss", uuid, reason: "it does not answer" }));
        return hasTurn(plan) ? plan : { ...plan, steps: [...plan.steps, ...dismissals] };
      },
    },
  },
  {
    rule: "5",
    bug: "forgets the old primary's vote when it fails over",
    subject: withSurroundings((surroundings, { operator }) => ({
      writeRecord: (version, change, signal) => {
        const old = operator.cache.record.memory?.primary;
        const { memory } = change;
        if (old === undefined || old === memory.primary) return surroundings.writeRecord(version, change, signal);
        const voters = memory.voters.filter((uuid) => uuid !== old);
        return surroundings.writeRecord(version, { ...change, memory: { ...memory, voters, deposed: [] } }, signal);
      },
    })),
  },
  {
    rule: "5",
    bug: "records more acknowledgements before the primary waits for them",
    subject: first("raise", ({ acknowledgements }, memory, write) => write({ ...memory, acknowledgements })),
  },
  {
    rule: "6",
    bug: "opens a primary before enough voters have all that it has",
    subject: {
      ...sound,
      decide: (snapshot) => {
        const plan = decide(snapshot);
        const { state } = snapshot.instances[snapshot.primaryIndex] ?? {};
        const isClosed = state?.uuid === snapshot.memory?.primary && state?.readOnly === true && !state.stopping;
        const opens = plan.steps.some(({ kind }) => kind === "open");
        return isClosed && !opens && !hasTurn(plan) ? { ...plan, steps: [...plan.steps, { kind: "open" }] } : plan;
      },
    },
  },
  {
    rule: "7",
    bug: "sees no errant transactions",
    focus: ["writeErrant"],
    subject: { ...sound, decide: (snapshot) => decide(withoutErrants(snapshot)) },
  },
  {
    rule: "7",
    bug: "lets an errant instance go on as if it were not",
    focus: ["writeErrant"],
    subject: {
      ...sound,
      decide: (snapshot) => {
        const plan = decide(snapshot);
        const { memory } = snapshot;
        const perInstance = plan.perInstance.map((each) => {
          const isErrant = plan.errant.includes(each.ordinal) && memory?.voters.includes(each.uuid);
          const step = { kind: "follow", acknowledge: true, how: "restart" } as const;
          return isErrant ? { ...each, steps: [step] } : each;
        });
        return { ...plan, perInstance };
      },
    },
  },
  {
    rule: "8",
    bug: "begins anew with an empty instance in the primary's place",
    focus: ["loseDisk"],
    subject: {
      ...sound,
      decide: (snapshot) => {
        const { memory, instances, primaryIndex } = snapshot;
        const state = instances[primaryIndex]?.state;
        if (!memory || !state?.executed.isEmpty || state.uuid === memory.primary) return decide(snapshot);
        const anew = { ...memory, primary: state.uuid, voters: [state.uuid], acknowledgements: 0, written: false };
        return { ...decide(snapshot), steps: [{ kind: "remember", memory: anew }] };
      },
    },
  },
  {
    rule: "9",
    bug: "fails over as soon as it can't reach the primary itself",
    subject: {
      ...sound,
      decide: (snapshot) =>
        decide(mapReplicas(snapshot, (replica) => ({ ...replica, heardAgo: undefined, queueing: false }))),
    },
  },
  {
    rule: "13",
    bug: "leaves a primary open that waits for nobody",
    focus: ["tamper"],
    subject: { ...sound, decide: (snapshot) => without(decide(snapshot), "close") },
  },
  {
    rule: "13",
    bug: "does not enforce settings",
    subject: withInstances(() => ({ enforceSettings: async () => undefined })),
  },
  {
    rule: "14",
    bug: "leaves commits waiting whose acknowledgement was missed",
    focus: ["cutFromPeers", "cutOff"],
    subject: { ...sound, decide: (snapshot) => without(decide(snapshot), "nudge") },
  },
];

/** Does it change who the primary is, or what is remembered? */
function hasTurn({ steps }: Plan): boolean {
  return steps.some(({ kind }) => kind === "failover" || kind === "switchover" || kind === "remember");
}

function without(plan: Plan, kind: Step["kind"]): Plan {
  return { ...plan, steps: plan.steps.filter((step) => step.kind !== kind) };
}

function mapStates(snapshot: Snapshot, change: (state: InstanceState) => InstanceState): Snapshot {
  const map = (view: InstanceView): InstanceView => (view.state ? { ...view, state: change(view.state) } : view);
  return { ...snapshot, instances: snapshot.instances.map(map) };
}

type ReplicaSide = NonNullable<InstanceState["replica"]>;

function mapReplicas(snapshot: Snapshot, change: (replica: ReplicaSide) => ReplicaSide): Snapshot {
  return mapStates(snapshot, (state) => ({ ...state, replica: state.replica && change(state.replica) }));
}

/** Nobody has anything that the primary does not have, or did not commit itself. */
function withoutErrants(snapshot: Snapshot): Snapshot {
  const primary = snapshot.instances[snapshot.primaryIndex]?.state;
  const before = { ...snapshot, errantBefore: [], suspects: new Set<string>() };
  if (primary === undefined) return before;
  const own = [primary.uuid, reservedUuid];
  const sane = (set: GtidSet): GtidSet => set.intersect(primary.executed).union(set.from(own));
  return mapStates(before, (state) => ({
    ...state,
    executed: sane(state.executed),
    replica: state.replica && { ...state.replica, retrieved: sane(state.replica.retrieved) },
  }));
}
