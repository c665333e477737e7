import { abortReason, CodedError, type Clock } from "@moco-ts/base";
import type { KubeObject } from "../types/object.ts";
import { apiVersionOf, type Resource } from "../types/resource.ts";
import type { WatchEvent, WatchOptions } from "./client.ts";
import { ConnectionError } from "./errors.ts";
import { describeRequest, errorOf, type Exchange, type ExchangeRequest } from "./exchange.ts";
import { LineSplitter } from "./lines.ts";
import { errorOfStatus, type Status } from "./status.ts";

/** Set on the bookmark that ends the initial events of a streaming list. */
const initialEventsEndAnnotation = "k8s.io/initial-events-end";

/** One watch request, from its first to its last event. */
export async function* watchEvents<T extends KubeObject>(
  exchange: Exchange,
  clock: Clock,
  resource: Resource<T>,
  request: ExchangeRequest,
  options: Pick<WatchOptions, "idleTimeout" | "metadataOnly" | "signal">,
): AsyncGenerator<WatchEvent<T>> {
  const what = describeRequest(request);
  const answer = await exchange.open(request);
  const { stream } = answer;
  if (!stream) throw errorOf(request, answer, clock);
  const idle = createIdleTimer(clock, options.idleTimeout, (milliseconds) =>
    stream.destroy(new ConnectionError(`${what}: no sign of life for ${milliseconds} ms`)),
  );
  try {
    const splitter = new LineSplitter();
    for (let batch = await stream.read(); batch; batch = await stream.read()) {
      idle.touch();
      for (const chunk of batch) {
        for (const line of splitter.take(chunk)) yield decode(line, resource, what, options.metadataOnly);
      }
    }
    splitter.finish();
  } catch (error) {
    if (options.signal?.aborted) throw abortReason(options.signal);
    if (error instanceof CodedError) throw error;
    throw new ConnectionError(`${what}: the connection broke`, { cause: error });
  } finally {
    idle.stop();
    stream.destroy();
  }
}

function decode<T extends KubeObject>(
  line: string,
  resource: Resource<T>,
  what: string,
  metadataOnly: boolean | undefined,
): WatchEvent<T> {
  let event: { type: string; object: T & Status };
  try {
    event = JSON.parse(line) as typeof event;
  } catch {
    // The parser's message quotes the line, which may hold a Secret.
    throw new ConnectionError(`${what}: the server sent a line that is not JSON`);
  }
  const { type, object } = event;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      if (metadataOnly) Object.assign(object, { apiVersion: apiVersionOf(resource), kind: resource.kind });
      return { type, object };
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

/** Notices a connection that is open but dead. One timer is re-armed as it fires, not with every chunk. */
function createIdleTimer(
  clock: Clock,
  milliseconds: number | undefined,
  onIdle: (milliseconds: number) => void,
): { touch(): void; stop(): void } {
  if (milliseconds === undefined) return { touch: () => undefined, stop: () => undefined };
  let heardAt = clock.monotonic();
  let cancel = (): void => undefined;
  const arm = (wait: number): void => {
    cancel = clock.schedule(wait, () => {
      const left = heardAt + milliseconds - clock.monotonic();
      if (left > 0) arm(left);
      else onIdle(milliseconds);
    });
  };
  arm(milliseconds);
  return {
    touch: () => void (heardAt = clock.monotonic()),
    stop: () => cancel(),
  };
}
