/** For fuzz tests: objects that fit a schema, and objects that no longer do. */
import * as fc from "fast-check";
import type { Schema } from "../crd/schema.ts";

/** Makes arbitraries of what schemas allow. The deeper, the fewer fields that need not be there. */
class Fitting {
  /** Making an arbitrary takes longer than using it. */
  readonly #made = new Map<Schema, Map<number, fc.Arbitrary<unknown>>>();

  of(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const byDepth = this.#made.get(schema) ?? new Map<number, fc.Arbitrary<unknown>>();
    this.#made.set(schema, byDepth);
    const found = byDepth.get(depth);
    if (found !== undefined) return found;
    const value = this.#value(schema, depth);
    const made = schema["nullable"] === true ? fc.option(value, { freq: 5 }) : value;
    byDepth.set(depth, made);
    return made;
  }

  #value(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    if (schema["enum"]) return fc.constantFrom(...(schema["enum"] as string[]));
    if (schema["x-kubernetes-int-or-string"] === true) {
      return fc.oneof(fc.integer({ min: 1, max: 9999 }), fc.constantFrom("1", "250m", "1.5Gi", "10Gi", "1e3", "5Mi"));
    }
    switch (schema.type) {
      case "boolean":
        return fc.boolean();
      case "integer":
        return fc.integer({ min: (schema["minimum"] as number | undefined) ?? -10, max: 70_000 });
      case "string":
        return fittingText(schema);
      case "array":
        return this.#list(schema, depth);
      default:
        return this.#record(schema, depth);
    }
  }

  #list(schema: Schema, depth: number): fc.Arbitrary<unknown[]> {
    const item = this.of(schema.items!, depth + 1);
    const limits = { minLength: (schema["minItems"] as number | undefined) ?? 0, maxLength: 3 };
    const keys = schema["x-kubernetes-list-map-keys"] as readonly string[] | undefined;
    if (keys === undefined && schema["x-kubernetes-list-type"] !== "set") return fc.array(item, limits);
    const selector = (each: unknown): string =>
      JSON.stringify(keys === undefined ? each : keys.map((key) => (each as Record<string, unknown>)[key]));
    return fc.uniqueArray(item, { ...limits, selector });
  }

  #record(schema: Schema, depth: number): fc.Arbitrary<Record<string, unknown>> {
    const { properties, additionalProperties, required = [] } = schema;
    if (properties === undefined) {
      const word = fc.stringMatching(/^[a-z]{1,5}$/);
      if (!additionalProperties) return fc.constant({});
      return fc.dictionary(word, this.of(additionalProperties, depth + 1), { maxKeys: 2 });
    }
    const optional = Object.keys(properties).filter((name) => !required.includes(name));
    const most = Math.min(optional.length, Math.max(1, 6 - depth));
    return fc.subarray(optional, { maxLength: most }).chain((chosen) => {
      const names = [...required, ...chosen];
      return fc.record(Object.fromEntries(names.map((name) => [name, this.of(properties[name]!, depth + 1)])));
    });
  }
}

/** Anything that the schema allows. */
export function fitting(schema: Schema): fc.Arbitrary<unknown> {
  return new Fitting().of(schema, 0);
}

function fittingText(schema: Schema): fc.Arbitrary<string> {
  if (schema.format === "date-time") {
    return fc.constantFrom("2026-01-01T00:00:00Z", "2026-06-30T23:59:59+09:00");
  }
  const { pattern, minLength } = schema as { pattern?: string; minLength?: number };
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { maxLength: 20 });
  return fc.oneof(
    fc.constantFrom("mysqld", "agent", "tmp", "mysql-data", "a", "@daily"),
    fc.string({ minLength: minLength ?? 0, maxLength: 8 }),
  );
}

/** What somebody might have put where something else belongs. */
const garbage: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, true, 0, -1, 2 ** 31, 1.5, NaN, "", "mysqld", "\u0000", [], [null], {}, [
    [],
  ]),
  fc.string(),
  fc.anything({ maxDepth: 2 }),
);

/** The object with some of its places, anywhere, taken away, doubled or filled with garbage. */
export function mutated(object: object): fc.Arbitrary<object> {
  const steps = fc.array(fc.tuple(fc.array(fc.nat(), { minLength: 1, maxLength: 8 }), fc.nat(3), garbage), {
    minLength: 1,
    maxLength: 6,
  });
  return steps.map((all) => {
    const copy = structuredClone(object);
    for (const [path, action, value] of all) mutate(copy as Record<string, unknown>, path, action, value);
    // It comes over the wire: no holes, nothing undefined.
    return JSON.parse(JSON.stringify(copy)) as object;
  });
}

function mutate(root: Record<string, unknown>, path: readonly number[], action: number, value: unknown): void {
  let place = root;
  for (const [depth, choice] of path.entries()) {
    const names = Object.keys(place);
    const name = names[choice % (names.length || 1)];
    if (name === undefined) break;
    const inner = place[name];
    if (depth < path.length - 1 && typeof inner === "object" && inner !== null) {
      place = inner as Record<string, unknown>;
      continue;
    }
    if (action === 0) delete place[name];
    else if (action === 1 && Array.isArray(place)) place.push(structuredClone(inner));
    else place[name] = structuredClone(value);
    break;
  }
}
