import { KubeError } from "../rest/errors.ts";
import type { KubeObject } from "./object.ts";

/**
 * A kind of object as the API server serves it. The type parameter ties it to the TypeScript type, so that
 * `client.get(ConfigMaps, ...)` gives a ConfigMap.
 */
export interface Resource<T extends KubeObject = KubeObject> {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never set: carries the type. */
  readonly __type?: T;
}

export function defineResource<T extends KubeObject>(
  apiVersion: string,
  kind: string,
  plural: string,
  scope: "Namespaced" | "Cluster" = "Namespaced",
): Resource<T> {
  const slash = apiVersion.indexOf("/");
  return {
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind,
    plural,
    namespaced: scope === "Namespaced",
  };
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(resource: Resource): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** The URL path of a collection or, with a name, of an object or its subresource. */
export function pathOf(
  resource: Resource,
  where: { namespace?: string | undefined; name?: string | undefined; subresource?: string | undefined } = {},
): string {
  const parts = resource.group === "" ? ["/api", resource.version] : ["/apis", resource.group, resource.version];
  if (resource.namespaced && where.namespace) parts.push("namespaces", segmentOf(where.namespace));
  parts.push(resource.plural);
  if (where.name !== undefined) parts.push(segmentOf(where.name));
  if (where.subresource !== undefined) parts.push(where.subresource);
  return parts.join("/");
}

/** A name as a part of a path. Two of them, which no object can have, would lead to another place. */
function segmentOf(name: string): string {
  if (name !== "." && name !== "..") return encodeURIComponent(name);
  throw new KubeError(`"${name}" can't be the name of an object`, { status: 400, reason: "BadRequest" });
}
