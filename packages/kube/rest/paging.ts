import type { KubeList, KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import type { Client, ListOptions } from "./client.ts";
import { isExpired } from "./errors.ts";

/** What client-go asks for: large enough to be quick, small enough for the server's memory and ours. */
const pageSize = 500;

/**
 * Everything, page by page, as of one moment. A server that has forgotten that moment before the last page is asked from
 * the start, then for everything in one answer: a list that outlives the server's memory must still come to an end.
 */
export async function listAll<T extends KubeObject>(
  client: Pick<Client, "list">,
  resource: Resource<T>,
  options: ListOptions,
): Promise<KubeList<T>> {
  for (const limit of [pageSize, pageSize]) {
    const items: T[] = [];
    try {
      for await (const page of pages(client, resource, { ...options, limit })) {
        for (const item of page.items) items.push(item);
        if (!page.metadata.continue) return { ...page, items };
      }
    } catch (error) {
      if (items.length === 0 || !isExpired(error)) throw error;
    }
  }
  return client.list(resource, { ...options, limit: 0 });
}

/** One page after the other; throws Expired if the server has forgotten what the first one was a part of. */
export async function* pages<T extends KubeObject>(
  client: Pick<Client, "list">,
  resource: Resource<T>,
  options: ListOptions,
): AsyncGenerator<KubeList<T>> {
  for (let next = options; ;) {
    const page = await client.list(resource, next);
    yield page;
    if (!page.metadata.continue) return;
    // Only the first page may name a version: the token does so for the others.
    const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = options;
    next = { ...rest, continue: page.metadata.continue };
  }
}
