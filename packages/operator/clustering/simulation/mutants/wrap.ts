import type { Instance } from "@moco-ts/mysql";
import { act } from "../../act/act.ts";
import { decide } from "../../decide/decide.ts";
import type { Step } from "../../plan.ts";
import type { Surroundings } from "../../ports.ts";
import type { Memory } from "../../snapshot.ts";
import type { FaultName } from "../faults/kinds.ts";
import type { Mysqld } from "../mysqld.ts";
import type { Context, Subject } from "../operator.ts";

/** A bug that is planted between the code under test and the world, and that a simulation has to find. */
export interface Mutant {
  /** Which rule it breaks. */
  readonly rule: string;
  readonly bug: string;
  /** Faults by which it shows soonest. Default: all. */
  readonly focus?: readonly FaultName[];
  readonly subject: Subject;
}

export const sound: Subject = { decide, act };

export interface InstanceContext extends Context {
  /** The process behind the instance, if it is there. */
  readonly mysqld: () => Mysqld | undefined;
}

/** Something that every instance does in another way, whenever a step of this kind is planned, or always. */
export function withInstances(
  change: (instance: Instance, context: InstanceContext) => Partial<Instance>,
  during?: Step["kind"],
): Subject {
  return withSurroundings((surroundings, context) => {
    if (during && !context.plan.steps.some(({ kind }) => kind === during)) return {};
    const { operator, world } = context;
    const instances = new Map<string, Instance>();
    const wrap = (instance: Instance, address: string): Instance => {
      const mysqld = (): Mysqld | undefined => world.machines.at(address);
      const wrapped = instances.get(address) ?? delegate(instance, change(instance, { ...context, mysqld }));
      instances.set(address, wrapped);
      return wrapped;
    };
    return {
      instance: (ordinal) => {
        const instance = surroundings.instance(ordinal);
        return instance && wrap(instance, operator.cache.pods[ordinal]?.address ?? "");
      },
      instanceAt: (address) => wrap(surroundings.instanceAt(address), address),
    };
  });
}

export function withSurroundings(
  change: (surroundings: Surroundings, context: Context) => Partial<Surroundings>,
): Subject {
  return { ...sound, wrap: (surroundings, context) => ({ ...surroundings, ...change(surroundings, context) }) };
}

/** Something is done before everything else, if a step of this kind is planned. */
export function first<K extends Step["kind"]>(
  kind: K,
  run: (
    step: Extract<Step, { kind: K }>,
    memory: Memory,
    write: (memory: Memory) => Promise<unknown>,
  ) => Promise<unknown>,
): Subject {
  return {
    decide,
    async act(plan, snapshot, surroundings, signal) {
      const step = plan.steps.find((each): each is Extract<Step, { kind: K }> => each.kind === kind);
      const { version, memory } = await surroundings.readRecord(signal);
      if (step && memory)
        await run(step, memory, (changed) => surroundings.writeRecord(version, { memory: changed }, signal));
      return act(plan, snapshot, surroundings, signal);
    },
  };
}

/** Methods of the instance, but for those that are given. */
function delegate(instance: Instance, changed: Partial<Instance>): Instance {
  return new Proxy(instance, {
    get(target, name) {
      const own = changed[name as keyof Instance];
      if (own !== undefined) return own;
      const method = Reflect.get(target, name) as (...parameters: unknown[]) => unknown;
      return method.bind(target);
    },
  });
}
