import type { KubeList, KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import type { Client, ListOptions } from "./client.ts";
import { isExpired } from "./errors.ts";

/** What client-go asks for: large enough to be quick, small enough for the server's memory and ours. */
export const defaultPageSize = 500;

/** Everything as of one moment, asked for page by page. */
export async function listAll<T extends KubeObject>(
  client: Pick<Client, "list">,
  resource: Resource<T>,
  options: ListOptions,
): Promise<KubeList<T>> {
  let items: T[] = [];
  const last = await readPages(client, resource, { ...options, limit: defaultPageSize }, () => {
    items = [];
    return (item) => void items.push(item);
  });
  return { ...last, items };
}

/**
 * Reads all pages and returns the last. `begin` gives the reader of the items, and is called again if the list has to
 * start over: a server that has forgotten the moment of the first page is asked once more, then for everything in one
 * answer, since a list that outlives the server's memory must still come to an end.
 */
export async function readPages<T extends KubeObject>(
  client: Pick<Client, "list">,
  resource: Resource<T>,
  options: ListOptions & { readonly limit: number },
  begin: () => (item: T) => void,
): Promise<KubeList<T>> {
  for (const limit of [options.limit, options.limit, 0]) {
    const read = begin();
    for (let next: ListOptions = { ...options, limit }; ;) {
      let page;
      try {
        page = await client.list(resource, next);
      } catch (error) {
        if (next.continue !== undefined && isExpired(error)) break;
        throw error;
      }
      for (const item of page.items) read(item);
      if (!page.metadata.continue) return page;
      // Only the first page may name a version: the token does so for the others.
      next = {
        ...options,
        limit,
        continue: page.metadata.continue,
        resourceVersion: undefined,
        resourceVersionMatch: undefined,
      };
    }
  }
  throw new Error("a list in one answer was cut into pages");
}
