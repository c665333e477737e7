/**
 * An error with a stable code that documentation, metrics and callers can rely on; the message is for people.
 *
 * @example throw new CodedError("QUANTITY_INVALID", `not a quantity: ${text}`);
 */
export class CodedError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** Whatever was thrown, as an Error: third-party code throws strings and plain objects too. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error(typeof thrown === "string" ? thrown : JSON.stringify(thrown), { cause: thrown });
}

/** The message with those of its causes, for one log line or one condition: `cannot list pods: connect ECONNREFUSED`. */
export function describeError(thrown: unknown): string {
  const parts: string[] = [];
  for (let error: unknown = thrown; error !== undefined && error !== null && parts.length < 5;) {
    const message = messageOf(toError(error));
    if (message !== "" && !parts.some((part) => part.includes(message))) parts.push(message);
    error = error instanceof Error ? error.cause : undefined;
  }
  return parts.join(": ");
}

/** Node's connection errors are AggregateErrors with an empty message: the attempts say what happened. */
function messageOf(error: Error): string {
  if (error.message !== "") return error.message;
  if (error instanceof AggregateError) return error.errors.map((each) => toError(each).message).join(", ");
  return error.name;
}
