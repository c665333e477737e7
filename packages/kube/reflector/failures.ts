import { hasReason, KubeError } from "../rest/errors.ts";

/** The server sent a bookmark before the list was complete: it knows nothing of streaming lists. */
export class StreamingListUnsupported extends Error {
  override readonly name = "StreamingListUnsupported";
}

/** True if the server will never stream a list, so that there is no point in asking again. */
export function refusesStreaming(error: unknown): boolean {
  return (
    error instanceof StreamingListUnsupported ||
    hasReason(error, "Invalid", "BadRequest", "MethodNotAllowed", "NotAcceptable")
  );
}

/**
 * True if the server will not go on from where we are: expired versions, and whatever else it finds wrong with the request.
 * Servers that are overloaded, broken or don't let us in have said nothing about the position.
 */
export function refusesPosition(error: unknown): boolean {
  return error instanceof KubeError && error.status < 500 && ![401, 403, 429].includes(error.status);
}
