import type { KubeList, KubeObject, ListMeta } from "../types/object.ts";
import { apiVersionOf, type Resource } from "../types/resource.ts";
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
  const metadata = await readPages(client, resource, { ...options, limit: defaultPageSize }, () => {
    items = [];
    return (item) => void items.push(item);
  });
  return { apiVersion: apiVersionOf(resource), kind: `${resource.kind}List`, metadata, items };
}

/**
 * Reads all pages and returns what the last says of the list. `begin` gives the reader of the items, and is called again if the list has to
 * start over: a server that has forgotten the moment of the first page is asked once more, then for everything in one
 * answer, since a list that outlives the server's memory must still come to an end.
 */
export async function readPages<T extends KubeObject>(
  client: Pick<Client, "list">,
  resource: Resource<T>,
  options: ListOptions & { readonly limit: number },
  begin: () => (item: T) => void,
): Promise<ListMeta> {
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
      if (!page.metadata.continue) return page.metadata;
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
