import type { GroupSelection } from "./selection.ts";

/** The part of an OpenAPI schema that Kubernetes uses and that a TypeScript type can say. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly "x-kubernetes-group-version-kind"?: readonly { group: string; version: string; kind: string }[];
}

/** A collection as discovery lists it. */
export interface Collection {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface Specification {
  readonly schemas: ReadonlyMap<string, Schema>;
  /** By the name of their schema; kinds that only exist as subresources have none. */
  readonly collections: ReadonlyMap<string, Collection>;
  /** Names of the schemas of the selected kinds, sorted. */
  readonly roots: readonly string[];
}

/** Reads one of the API server's JSON documents by path. */
export type ReadDocument = (path: string) => Promise<unknown>;

interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface ResourceList {
  readonly resources: readonly { name: string; kind: string; namespaced: boolean }[];
}

export async function readSpecification(
  selection: readonly GroupSelection[],
  read: ReadDocument,
): Promise<Specification> {
  const schemas = new Map<string, Schema>();
  const discovered = new Map<string, ResourceList>();
  for (const { apiVersion } of selection) {
    const path = apiVersion.includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`;
    const document = (await read(`/openapi/v3/${path}`)) as OpenApiDocument;
    for (const [name, schema] of Object.entries(document.components.schemas)) schemas.set(name, schema);
    discovered.set(apiVersion, (await read(`/${path}`)) as ResourceList);
  }

  const collections = new Map<string, Collection>();
  const roots: string[] = [];
  for (const { apiVersion, kinds } of selection) {
    for (const kind of kinds) {
      const root = schemaNameOf(schemas, apiVersion, kind);
      roots.push(root);
      const resources = discovered.get(apiVersion)!.resources;
      const resource = resources.find((each) => each.kind === kind && !each.name.includes("/"));
      if (resource === undefined) continue;
      collections.set(root, { apiVersion, kind, plural: resource.name, namespaced: resource.namespaced });
    }
  }
  return { schemas, collections, roots: roots.sort() };
}

/** A kind that is only a subresource is described in the document of its parent's group. */
function schemaNameOf(schemas: ReadonlyMap<string, Schema>, apiVersion: string, kind: string): string {
  for (const [name, schema] of schemas) {
    const served = schema["x-kubernetes-group-version-kind"] ?? [];
    const isKind = served.some(
      (each) => each.kind === kind && [each.group, each.version].filter(Boolean).join("/") === apiVersion,
    );
    if (isKind) return name;
  }
  throw new Error(`the API server does not serve ${apiVersion} ${kind}`);
}
