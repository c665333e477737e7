import { quantityKeywords } from "../schema/fields.ts";

/** A JSON Schema as OpenAPI documents and CustomResourceDefinitions have it. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly format?: string;
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

/** The schemas of an API server's OpenAPI document, by name: `io.k8s.api.core.v1.PodSpec`. */
export type KubernetesSchemas = Readonly<Record<string, Schema>>;

/** Forms that OpenAPI describes in ways that definitions don't take. */
const special: Readonly<Record<string, Schema>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": quantityKeywords,
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "integer" }, { type: "string" }],
  },
};

/** Fields that only the API server writes. */
const serverFields: Readonly<Record<string, readonly string[]>> = {
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": ["managedFields", "selfLink"],
};

/** Keywords that mean the same in a definition. Others are the API server's own or, like enum, told by newer servers. */
const kept = ["type", "format", "x-kubernetes-list-type", "x-kubernetes-map-type"] as const;

/**
 * Lists in which Kubernetes takes several items with the same keys, or fills in a key that is not given. A definition
 * would refuse that in a list with keys, so here they are lists as a whole: no manifest that works may be refused.
 */
const takenAsWhole = new Set(["env", "hostAliases", "imagePullSecrets", "ports"]);

/**
 * One of Kubernetes' own schemas as part of a definition: without references and descriptions, and with nothing
 * required and nothing filled in, since the user gives only a part of what Kubernetes gets in the end.
 */
export function expand(name: string, schemas: KubernetesSchemas): Schema {
  const found = special[name] ?? schemas[name];
  if (found === undefined) throw new Error(`the API server does not describe ${name}`);
  return name in special ? found : expandSchema(withoutFields(found, serverFields[name] ?? []), schemas);
}

export function withoutFields(schema: Schema, names: readonly string[]): Schema {
  if (names.length === 0) return schema;
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !names.includes(name));
  const required = schema.required?.filter((name) => !names.includes(name));
  const { required: _, ...rest } = schema;
  return { ...rest, properties: Object.fromEntries(properties), ...(required?.length && { required }) };
}

function expandSchema(schema: Schema, schemas: KubernetesSchemas): Schema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference !== undefined) return expand(reference.replace("#/components/schemas/", ""), schemas);
  const expanded: Record<string, unknown> = {};
  for (const keyword of kept) if (schema[keyword] !== undefined) expanded[keyword] = schema[keyword];
  if (schema.properties) {
    expanded["properties"] = mapValues(schema.properties, (field, name) => expandField(name, field, schemas));
  }
  if (schema.items) expanded["items"] = expandSchema(schema.items, schemas);
  if (schema.additionalProperties) {
    expanded["additionalProperties"] = expandSchema(schema.additionalProperties, schemas);
  }
  return expanded;
}

function expandField(name: string, field: Schema, schemas: KubernetesSchemas): Schema {
  const expanded = expandSchema(field, schemas);
  if (field["x-kubernetes-list-type"] !== "map") return expanded;
  if (takenAsWhole.has(name)) return { ...expanded, "x-kubernetes-list-type": "atomic" };
  // The keys have to be there, or items could not be told apart.
  const keys = field["x-kubernetes-list-map-keys"] as readonly string[];
  return { ...expanded, "x-kubernetes-list-map-keys": keys, items: { ...expanded.items, required: keys } };
}

export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From, name: string) => To,
): Record<string, To> {
  const names = Object.keys(record).sort();
  return Object.fromEntries(names.map((name) => [name, map(record[name]!, name)]));
}
