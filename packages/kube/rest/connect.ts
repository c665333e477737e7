/**
 * rest: one typed client for every kind of object.
 *
 * `connect` turns a configuration (loadConfig, loadKubeconfig, inClusterConfig) into a Client: connections that are kept
 * alive, limits on rate and concurrency, deadlines, retries where the server asks for them, and errors with codes. What
 * only the caller can decide (another attempt after a conflict or a lost connection) is left to the caller.
 */
import type { KubeList, KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import { answerStream } from "./answer-stream.ts";
import type { Client } from "./client.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { createConnection, type ConnectOptions } from "./connection.ts";
import { decode, named } from "./decode.ts";
import { describeRequest, errorOf, type ExchangeRequest } from "./exchange.ts";
import { listAll } from "./paging.ts";
import * as requests from "./requests.ts";
import { scanList } from "./scan.ts";
import { watchEvents } from "./watch.ts";

/** For scans that don't say otherwise. */
const defaultIdleTimeout = 30_000;

/**
 * A client of the cluster. No connection is made before the first request.
 *
 * @example
 * const client = connect(await loadConfig({ environment }), { userAgent: "moco-controller/1.0" });
 * const pod = await client.get(Pods, { namespace: "default", name: "web-0" }, { signal });
 */
export function connect(config: ClusterConfig, options: ConnectOptions = {}): Client {
  const { exchange, transport, clock } = createConnection(config, options);

  const call = async <T>(request: ExchangeRequest): Promise<T> => {
    const answer = await exchange.call(request);
    if (answer.status >= 300) throw errorOf(request, answer, clock);
    return decode(describeRequest(request), answer.body) as T;
  };

  const client: Client = {
    async get<T extends KubeObject>(resource: Resource<T>, ...[key, options = {}]: Rest<Client["get"]>) {
      const object = await call<T>(requests.getRequest(resource, key, options));
      return options.metadataOnly ? named(resource, object) : object;
    },
    async list<T extends KubeObject>(resource: Resource<T>, ...[options = {}]: Rest<Client["list"]>) {
      if (options.limit === undefined) return listAll(client, resource, options);
      const list = await call<KubeList<T>>(requests.listRequest(resource, options));
      // An empty list of metadata has null for its items.
      list.items ??= [];
      for (const item of list.items) named(resource, item);
      return list;
    },
    create: (resource, object, options = {}) => call(requests.createRequest(resource, object, options)),
    update: (resource, object, options = {}) => call(requests.updateRequest(resource, object, options)),
    patch: (resource, key, patch, options = {}) => call(requests.patchRequest(resource, key, patch, options)),
    apply: (resource, object, options) => call(requests.applyRequest(resource, object, options)),
    async delete<T extends KubeObject>(resource: Resource<T>, ...[key, options = {}]: Rest<Client["delete"]>) {
      const answer = await call<T>(requests.deleteRequest(resource, key, options));
      return isKept(answer) ? answer : undefined;
    },
    scan(resource, options, onItem) {
      const request = requests.listRequest(resource, options);
      const bytes = answerStream(exchange, clock, request, options.idleTimeout ?? defaultIdleTimeout);
      return scanList(bytes, resource, request, onItem);
    },
    watch(resource, options) {
      const request = requests.watchRequest(resource, options);
      return watchEvents(answerStream(exchange, clock, request, options.idleTimeout), resource, request, options);
    },
    async raw(path, options = {}) {
      const { method = "GET", body, signal, timeout, guard } = options;
      const headers = { accept: "*/*", ...(body && { "content-type": "application/json" }), ...options.headers };
      const answer = await exchange.call({ method, path, headers, body, signal, timeout, guard });
      return { status: answer.status, headers: answer.headers, body: answer.body };
    },
    close: () => transport.close(),
  };
  return client;
}

/** The parameters after the resource, whose type parameter is lost when they are inferred. */
type Rest<F extends (...all: never[]) => unknown> = Parameters<F> extends [unknown, ...infer Others] ? Others : never;

/** Servers answer a delete with a Status, with the object as it still is, or with the object as it was last. */
function isKept(answer: KubeObject & { spec?: { finalizers?: string[] } }): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = answer.metadata ?? {};
  if (deletionTimestamp === undefined) return false;
  // Namespaces have theirs in the spec.
  return finalizers.length > 0 || (answer.spec?.finalizers ?? []).length > 0 || deletionGracePeriodSeconds > 0;
}
