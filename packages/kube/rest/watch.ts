import type { KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import type { WatchEvent, WatchOptions } from "./client.ts";
import { decode, named } from "./decode.ts";
import { ConnectionError } from "./errors.ts";
import { describeRequest, type ExchangeRequest } from "./exchange.ts";
import { LineSplitter } from "./lines.ts";
import { errorOfStatus, type Status } from "./status.ts";

/** Set on the bookmark that ends the initial events of a streaming list. */
const initialEventsEndAnnotation = "k8s.io/initial-events-end";

/** One watch request, from its first to its last event. */
export async function* watchEvents<T extends KubeObject>(
  bytes: AsyncIterable<readonly Buffer[]>,
  resource: Resource<T>,
  request: ExchangeRequest,
  options: Pick<WatchOptions, "metadataOnly">,
): AsyncGenerator<WatchEvent<T>> {
  const what = describeRequest(request);
  const splitter = new LineSplitter();
  for await (const chunks of bytes) {
    for (const chunk of chunks) {
      for (const line of splitter.take(chunk)) yield eventOf(line, resource, what, options.metadataOnly);
    }
  }
  splitter.finish();
}

function eventOf<T extends KubeObject>(
  line: string,
  resource: Resource<T>,
  what: string,
  metadataOnly: boolean | undefined,
): WatchEvent<T> {
  const { type, object } = decode(what, line) as { type: string; object: T & Status };
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object: metadataOnly ? named(resource, object) : object };
    case "BOOKMARK": {
      const { resourceVersion = "", annotations } = object.metadata ?? {};
      return { type, resourceVersion, initialEventsEnd: annotations?.[initialEventsEndAnnotation] === "true" };
    }
    case "ERROR":
      throw errorOfStatus(what, object);
    default:
      throw new ConnectionError(`${what}: the server sent an event of unknown type ${JSON.stringify(type)}`);
  }
}
