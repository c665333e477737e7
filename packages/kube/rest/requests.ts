import type { KubeObject, ObjectKey } from "../types/object.ts";
import { apiVersionOf, pathOf, type Resource } from "../types/resource.ts";
import type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Patch,
  RequestOptions,
  SubresourceWriteOptions,
  WatchOptions,
} from "./client.ts";
import type { ExchangeRequest } from "./exchange.ts";
import type { Method } from "./transport.ts";

const patchTypes: Readonly<Record<Patch["type"], string>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
};
/** JSON is YAML, and this is the one name of the type that all servers know. */
const applyPatchType = "application/apply-patch+yaml";

export function getRequest(resource: Resource, key: ObjectKey, options: GetOptions): ExchangeRequest {
  const { subresource, resourceVersion } = options;
  return {
    ...limits(options),
    method: "GET",
    path: pathOf(resource, { ...key, subresource }) + queryOf({ resourceVersion }),
    headers: accept(options.metadataOnly, "PartialObjectMetadata"),
  };
}

export function listRequest(resource: Resource, options: ListOptions): ExchangeRequest {
  const { namespace, labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit } = options;
  const query = {
    labelSelector,
    fieldSelector,
    resourceVersion,
    resourceVersionMatch,
    limit: limit || undefined,
    continue: options.continue,
  };
  return {
    ...limits(options),
    method: "GET",
    path: pathOf(resource, { namespace }) + queryOf(query),
    headers: accept(options.metadataOnly, "PartialObjectMetadataList"),
  };
}

export function watchRequest(resource: Resource, options: WatchOptions): ExchangeRequest {
  const { namespace, labelSelector, fieldSelector, resourceVersion, resourceVersionMatch } = options;
  const query = {
    watch: true,
    allowWatchBookmarks: true,
    labelSelector,
    fieldSelector,
    resourceVersion,
    resourceVersionMatch,
    sendInitialEvents: options.sendInitialEvents,
    timeoutSeconds: options.timeoutSeconds,
  };
  return {
    method: "GET",
    path: pathOf(resource, { namespace }) + queryOf(query),
    headers: accept(options.metadataOnly, "PartialObjectMetadata"),
    signal: options.signal,
  };
}

export function createRequest(
  resource: Resource,
  object: KubeObject,
  options: SubresourceWriteOptions,
): ExchangeRequest {
  const { namespace, name } = object.metadata ?? {};
  // A subresource (eviction, token) belongs to an object that exists; anything else is a new member of the collection.
  const where = options.subresource === undefined ? { namespace } : { namespace, name: name ?? "" };
  return writeRequest("POST", resource, where, typed(resource, object), options);
}

export function updateRequest(
  resource: Resource,
  object: KubeObject,
  options: SubresourceWriteOptions,
): ExchangeRequest {
  return writeRequest("PUT", resource, keyIn(object), typed(resource, object), options);
}

export function patchRequest(
  resource: Resource,
  key: ObjectKey,
  patch: Patch,
  options: SubresourceWriteOptions,
): ExchangeRequest {
  return writeRequest("PATCH", resource, key, patch.body, options, patchTypes[patch.type]);
}

export function applyRequest(resource: Resource, object: KubeObject, options: ApplyOptions): ExchangeRequest {
  return writeRequest("PATCH", resource, keyIn(object), typed(resource, object), options, applyPatchType);
}

export function deleteRequest(resource: Resource, key: ObjectKey, options: DeleteOptions): ExchangeRequest {
  const { propagation, gracePeriodSeconds, preconditions, dryRun } = options;
  const body = {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: propagation,
    gracePeriodSeconds,
    preconditions,
    dryRun: dryRun ? ["All"] : undefined,
  };
  return {
    ...limits(options),
    method: "DELETE",
    path: pathOf(resource, key),
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

function writeRequest(
  method: Method,
  resource: Resource,
  where: { namespace?: string | undefined; name?: string },
  body: object,
  options: SubresourceWriteOptions & { force?: boolean },
  contentType = "application/json",
): ExchangeRequest {
  const { subresource, fieldManager, fieldValidation = "Strict", dryRun, force } = options;
  const query = { fieldManager, fieldValidation, dryRun: dryRun ? "All" : undefined, force: force || undefined };
  return {
    ...limits(options),
    method,
    path: pathOf(resource, { ...where, subresource }) + queryOf(query),
    headers: { "content-type": contentType },
    body: JSON.stringify(body),
  };
}

function limits(options: RequestOptions): Pick<ExchangeRequest, "signal" | "timeout" | "guard"> {
  return { signal: options.signal, timeout: options.timeout, guard: options.guard };
}

/** `?a=1&b=2` of what is defined, or nothing. */
export function queryOf(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}

function accept(metadataOnly: boolean | undefined, kind: string): Readonly<Record<string, string>> | undefined {
  return metadataOnly ? { accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` } : undefined;
}

/** Callers may leave out what the resource says anyway. Subresources such as Scale bring a type of their own. */
function typed(resource: Resource, object: KubeObject): KubeObject {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
}

function keyIn(object: KubeObject): { namespace: string | undefined; name: string } {
  return { namespace: object.metadata?.namespace, name: object.metadata?.name ?? "" };
}
