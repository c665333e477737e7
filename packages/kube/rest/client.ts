import type { KubeList, KubeObject, ListMeta, ObjectKey } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";

/**
 * rest: one typed client for every kind of object. This file is the contract that the rest of the runtime is written
 * against; `connect` in connect.ts makes the real one.
 */
export interface Client {
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: GetOptions): Promise<T>;
  /** One page, or everything if `limit` is not given (paged inside, so that no request is unbounded). */
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<KubeList<T>>;
  /**
   * Everything in one answer, item by item as it arrives: no more than one item is held, however many there are. It costs
   * the server less than pages or events do. Returns what the list says of itself.
   */
  scan<T extends KubeObject>(resource: Resource<T>, options: ScanOptions, onItem: (item: T) => void): Promise<ListMeta>;
  create<T extends KubeObject>(resource: Resource<T>, object: T, options?: SubresourceWriteOptions): Promise<T>;
  /** Replaces the object; a resourceVersion in it is a precondition. */
  update<T extends KubeObject>(resource: Resource<T>, object: T, options?: SubresourceWriteOptions): Promise<T>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options?: SubresourceWriteOptions,
  ): Promise<T>;
  /** Server-side apply: `object` holds exactly the fields that `fieldManager` wants to own. */
  apply<T extends KubeObject>(resource: Resource<T>, object: T, options: ApplyOptions): Promise<T>;
  /** Returns the object while finalizers or grace keep it, undefined once it is gone. */
  delete<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: DeleteOptions): Promise<T | undefined>;
  /** Ends normally when the server closes the stream; throws a KubeError for an ERROR event. */
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** For what has no type: /version, /openapi, node proxies. Body as text. */
  raw(path: string, options?: RawOptions): Promise<RawResponse>;
  /** Closes the connections. */
  close(): Promise<void>;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole request, answers included. Default 30,000; watches have none. */
  readonly timeout?: number | undefined;
  /** Asked right before the request is put on the wire, however long it waited: if it throws, nothing is sent. */
  readonly guard?: (() => void) | undefined;
}

export interface GetOptions extends RequestOptions {
  readonly subresource?: string;
  readonly resourceVersion?: string;
  /** Only apiVersion, kind and metadata travel. */
  readonly metadataOnly?: boolean;
}

export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends RequestOptions, Selection {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  readonly metadataOnly?: boolean;
}

export interface ScanOptions extends Selection {
  readonly signal?: AbortSignal | undefined;
  readonly metadataOnly?: boolean | undefined;
  /** Milliseconds without any byte after which the connection counts as dead. Default 30,000. */
  readonly idleTimeout?: number | undefined;
}

export interface WriteOptions extends RequestOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  /** What the server does with unknown or duplicate fields. Default "Strict". */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

export interface SubresourceWriteOptions extends WriteOptions {
  /** "status", "scale", "eviction" ... */
  readonly subresource?: string;
}

export interface ApplyOptions extends SubresourceWriteOptions {
  readonly fieldManager: string;
  /** Take fields over from other managers. Default false. */
  readonly force?: boolean;
}

export interface DeleteOptions extends RequestOptions {
  readonly propagation?: "Orphan" | "Background" | "Foreground";
  readonly gracePeriodSeconds?: number;
  /** Refused with Conflict if the live object differs. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export interface WatchOptions extends Selection {
  readonly signal?: AbortSignal | undefined;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan";
  /** Streaming list: ADDED for everything, then a bookmark with the annotation k8s.io/initial-events-end. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after so many seconds. */
  readonly timeoutSeconds?: number;
  readonly metadataOnly?: boolean;
  /** Milliseconds without any byte after which the connection counts as dead. Default: none. */
  readonly idleTimeout?: number;
}

export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly initialEventsEnd: boolean };

export type Patch =
  | { readonly type: "merge"; readonly body: object }
  | { readonly type: "json"; readonly body: readonly JsonPatchOperation[] }
  | { readonly type: "strategic"; readonly body: object };

export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

export interface RawOptions extends RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}
