import type { Instance } from "@moco-ts/mysql";
import { act } from "../../act/act.ts";
import { decide } from "../../decide/decide.ts";
import type { Record, Surroundings } from "../../ports.ts";
import type { Memory } from "../../snapshot.ts";
import type { Mysqld } from "../mysqld.ts";
import type { Operator, Subject } from "../operator.ts";
import type { World } from "../world.ts";

/** A bug that is planted between the code under test and the world, and that a simulation has to find. */
export interface Mutant {
  /** Which rule it breaks. */
  readonly rule: string;
  readonly bug: string;
  readonly subject: Subject;
}

export const sound: Subject = { decide, act };

/** Every instance that the code under test gets is another one. */
export function withInstances(
  change: (instance: Instance, mysqld: () => Mysqld | undefined, world: World) => Partial<Instance>,
): Subject {
  return {
    ...sound,
    wrap(surroundings, operator, world) {
      const wrap = (instance: Instance, address: string | undefined): Instance => {
        const mysqld = (): Mysqld | undefined => world.machines.at(address ?? "");
        return delegate(instance, change(instance, mysqld, world));
      };
      return {
        ...surroundings,
        instance: (ordinal) => {
          const instance = surroundings.instance(ordinal);
          return instance && wrap(instance, operator.cache.pods[ordinal]?.address);
        },
        instanceAt: (address) => wrap(surroundings.instanceAt(address), address),
      };
    },
  };
}

/** What is written to the record is not what should be. */
export function withRecords(change: (memory: Memory, before: Record) => Memory): Subject {
  return withSurroundings((surroundings, operator) => ({
    writeRecord: (version, { primaryIndex, memory }, signal) =>
      surroundings.writeRecord(
        version,
        { ...(primaryIndex !== undefined && { primaryIndex }), memory: change(memory, operator.cache.record) },
        signal,
      ),
  }));
}

export function withSurroundings(
  change: (surroundings: Surroundings, operator: Operator, world: World) => Partial<Surroundings>,
): Subject {
  return {
    ...sound,
    wrap: (surroundings, operator, world) => ({ ...surroundings, ...change(surroundings, operator, world) }),
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
