import { ArraySplitter } from "@moco-ts/base";
import type { KubeList, KubeObject, ListMeta } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import { decode, named } from "./decode.ts";
import { ConnectionError } from "./errors.ts";
import { describeRequest, type ExchangeRequest } from "./exchange.ts";

/** Reads a list item by item as its bytes come in. */
export async function scanList<T extends KubeObject>(
  bytes: AsyncIterable<readonly Buffer[]>,
  resource: Resource<T>,
  request: ExchangeRequest,
  onItem: (item: T) => void,
): Promise<ListMeta> {
  const what = describeRequest(request);
  const splitter = new ArraySplitter({ key: "items", depth: 2 });
  const take = (text: string): void => onItem(named(resource, decode(what, text) as T));
  for await (const chunks of bytes) {
    for (const chunk of chunks) splitter.take(chunk, take);
  }
  if (!splitter.isComplete) throw new ConnectionError(`${what}: the answer was cut`);
  return (decode(what, splitter.envelope) as KubeList<T>).metadata;
}
