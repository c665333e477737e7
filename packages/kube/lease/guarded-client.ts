import type { Client, RequestOptions } from "../rest/client.ts";
import type { Leadership } from "./leadership.ts";

/**
 * The same client, whose writes are made only while the leadership is held: asked when a write is made, and once more
 * when it is about to be put on the wire. What was sent by then can't be called back; a process that is frozen later
 * than that has acted in time.
 */
export function guardClient(client: Client, leadership: Leadership): Client {
  const guard = (): void => leadership.assertHeld();
  const guarded = <O extends RequestOptions>(options: O | undefined): O & { guard: () => void } => {
    guard();
    return { ...(options as O), guard };
  };
  return {
    get: (...parameters) => client.get(...parameters),
    list: (...parameters) => client.list(...parameters),
    scan: (...parameters) => client.scan(...parameters),
    watch: (...parameters) => client.watch(...parameters),
    create: async (resource, object, options) => client.create(resource, object, guarded(options)),
    update: async (resource, object, options) => client.update(resource, object, guarded(options)),
    patch: async (resource, key, patch, options) => client.patch(resource, key, patch, guarded(options)),
    apply: async (resource, object, options) => client.apply(resource, object, guarded(options)),
    delete: async (resource, key, options) => client.delete(resource, key, guarded(options)),
    raw: async (path, options = {}) =>
      client.raw(path, (options.method ?? "GET") === "GET" ? options : guarded(options)),
    close: () => client.close(),
  };
}
