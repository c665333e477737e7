import type { KubeObject } from "../types/object.ts";
import { apiVersionOf, type Resource } from "../types/resource.ts";
import { ConnectionError } from "./errors.ts";

/** Parses what the server sent as the answer to `what`. */
export function decode(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may hold a Secret.
    throw new ConnectionError(`${what}: the server sent something that is not JSON`);
  }
}

/**
 * Puts back what an object is called: items of lists come without it, and metadata-only answers have the type of their
 * envelope. The same object should not look different depending on how it was read.
 */
export function named<T extends KubeObject>(resource: Resource<T>, object: T): T {
  object.apiVersion = apiVersionOf(resource);
  object.kind = resource.kind;
  return object;
}
