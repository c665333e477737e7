import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BackupPolicies, MySQLClusters, validateMySQLClusterCreation, type MySQLCluster } from "@moco-ts/api";
import { Errors } from "typebox/schema";
import { parse, parseAllDocuments } from "yaml";
import { root } from "./pages.ts";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly nullable?: boolean;
  readonly [keyword: string]: unknown;
}

type Manifest = Readonly<Record<string, unknown>>;

/** Holds manifests against our definitions, which are large and read once. */
export class Manifests {
  readonly #schemas = new Map(
    [MySQLClusters, BackupPolicies].map(({ kind, plural, group }) => [kind, schemaOf(`${plural}.${group}`)]),
  );

  /** What is wrong with a YAML text, if anything. `part`: of an object of this kind, of which other parts are not shown. */
  problemsOf(text: string, part?: string): string[] {
    return parseAllDocuments(text).flatMap((document) => {
      if (document.errors.length > 0) return document.errors.map(({ message }) => message);
      const value = document.toJS() as Manifest;
      return part === undefined ? this.#ofWhole(value) : this.#ofPart(value, part);
    });
  }

  /** Of objects that are Kubernetes' own, nothing is checked but that they are objects. */
  #ofWhole(object: Manifest): string[] {
    const { apiVersion, kind, metadata } = object as { apiVersion?: string; kind?: string; metadata?: Manifest };
    if (!apiVersion || !kind || !metadata?.["name"]) return ["it is neither an object nor marked part=KIND"];
    const schema = this.#schemas.get(kind);
    if (schema === undefined) return [];
    return [...check(closed(schema, true), object), ...(kind === "MySQLCluster" ? refusals(object) : [])];
  }

  #ofPart(object: Manifest, kind: string): string[] {
    const schema = this.#schemas.get(kind);
    return schema === undefined ? [] : check(closed(schema, false), object);
  }
}

function schemaOf(definition: string): Schema {
  const text = readFileSync(join(root, "charts/moco/generated/crds", `${definition}.yaml`), "utf8");
  const schema: Schema = parse(text).spec.versions[0].schema.openAPIV3Schema;
  return { ...schema, properties: { ...schema.properties, metadata: {} } };
}

/** The schema as JSON Schema, where a field that is not in it is wrong: the API server would drop it. */
function closed(schema: Schema, complete: boolean): Schema {
  const { properties, items, required, nullable, ...rest } = schema;
  const result: Record<string, unknown> = { ...rest };
  if (properties) {
    const fields = Object.entries(properties).map(([name, field]) => [name, closed(field, complete)]);
    result["properties"] = Object.fromEntries(fields);
    result["additionalProperties"] = false;
  }
  if (items) result["items"] = closed(items, complete);
  if (required && complete) result["required"] = required;
  return nullable ? { anyOf: [{ type: "null" }, result] } : result;
}

function check(schema: Schema, value: unknown): string[] {
  const [, errors] = Errors(schema, value);
  return errors.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}

/** What the webhook would say, once it has given what may be missing. */
function refusals(object: Manifest): string[] {
  const spec = { serverIDBase: 1, replicas: 1, ...(object["spec"] as object) };
  const causes = validateMySQLClusterCreation({ ...object, spec } as MySQLCluster);
  return causes.map(({ field, message }) => `${field}: ${message}`);
}
