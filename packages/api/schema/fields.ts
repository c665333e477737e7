/**
 * schema: what a custom resource may look like, said once.
 *
 * The schemas are JSON Schema, built with typebox, in the form that CustomResourceDefinitions take. The TypeScript types
 * are derived from them (`Static`), and so are the manifests that the API server validates, defaults and prunes by.
 * They are loaded only where manifests are made: programs need no more than the types.
 *
 * A field that is not optional but has a default need not be given: whoever reads the object always finds it.
 */
import { Type, type Static, type TSchema, type TUnsafe } from "typebox";

export interface Description {
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

/** A number that Go reads into 32 or 64 bits. */
export function integer(format: "int32" | "int64", options: Description = {}) {
  return Type.Integer({ format, ...options });
}

/** One of a few words. */
export function oneOf<const Word extends string>(words: readonly Word[], options: Description = {}): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: "string", enum: [...words], ...options });
}

/** An explicit null is kept, and means that there is no value. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, nullable: true });
}

/** A point in time, as RFC 3339 writes it. */
export function time(options: Description = {}) {
  return Type.String({ format: "date-time", ...options });
}

/** An amount of CPU or bytes. YAML makes a number of `4`, so that both have to do. */
export function quantity(options: Description = {}): TUnsafe<number | string> {
  return Type.Unsafe<number | string>({ ...quantityKeywords, ...options });
}

export const quantityKeywords = {
  "x-kubernetes-int-or-string": true,
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern: String.raw`^[+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$`,
} as const;

/** Text by keys that anybody may choose. */
export function textMap(options: Description = {}): TUnsafe<Record<string, string>> {
  return Type.Unsafe<Record<string, string>>({
    type: "object",
    additionalProperties: { type: "string" },
    ...options,
  });
}

/** A list whose items are told apart by keys, so that several managers can each apply their own. */
export function keyedList<Schema extends TSchema>(keys: readonly string[], item: Schema, options: Description = {}) {
  return Type.Array(item, { ...options, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [...keys] });
}

/** Any part of a Kubernetes type: what the user leaves out is filled in by the operator or the API server. */
export type AnyPartOf<T> = T extends readonly (infer Item)[]
  ? AnyPartOf<Item>[]
  : T extends object
    ? { [K in keyof T]?: AnyPartOf<T[K]> }
    : T;

/** Stands for a schema of Kubernetes' own, which the API server itself describes. */
export interface KubernetesReference {
  readonly name: string;
  /** Fields that are left out of it. */
  readonly without: readonly string[];
}

/** The keyword that holds a KubernetesReference. Manifests have the schema itself in its place. */
export const kubernetesKeyword = "x-moco-kubernetes";

/** A part of a Kubernetes type: `kubernetes<PodSpec>("core.v1.PodSpec")`. No field is required. */
export function kubernetes<T>(name: string, options: Description = {}, without: readonly string[] = []) {
  const reference: KubernetesReference = { name: `io.k8s.api.${name}`, without };
  return Type.Unsafe<AnyPartOf<T>>({ [kubernetesKeyword]: reference, ...options });
}
