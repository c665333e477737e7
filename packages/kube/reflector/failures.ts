import { hasReason, KubeError } from "../rest/errors.ts";

/** The server sent a bookmark before the list was complete: it knows nothing of lists by events. */
export class ListByEventsUnsupported extends Error {
  override readonly name = "ListByEventsUnsupported";
}

/** True if the server will never list by events, so that there is no point in asking again. */
export function refusesEvents(error: unknown): boolean {
  return (
    error instanceof ListByEventsUnsupported ||
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
