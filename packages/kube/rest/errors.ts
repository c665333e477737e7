import { CodedError } from "@moco-ts/base";

/** One thing that is wrong with a refused object, as the API server names it. */
export interface FieldCause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** The reasons of the API server's Status objects that callers tell apart; others come through as they are. */
export type StatusReason =
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Invalid"
  | "BadRequest"
  | "Unauthorized"
  | "Forbidden"
  | "MethodNotAllowed"
  | "Gone"
  | "Expired"
  | "TooManyRequests"
  | "ServerTimeout"
  | "Timeout"
  | "InternalError"
  | "ServiceUnavailable"
  | (string & {});

/** The API server answered with an error. `code` is `KUBE_` plus the reason: `KUBE_NotFound`. */
export class KubeError extends CodedError {
  readonly status: number;
  readonly reason: StatusReason;
  readonly causes: readonly FieldCause[];
  /** Milliseconds that the server asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    details: {
      status: number;
      reason: StatusReason;
      causes?: readonly FieldCause[];
      retryAfter?: number | undefined;
      cause?: unknown;
    },
  ) {
    super(`KUBE_${details.reason}`, message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
    this.reason = details.reason;
    this.causes = details.causes ?? [];
    this.retryAfter = details.retryAfter;
  }
}

/** No answer: the connection could not be made, broke, or took too long. The request may or may not have been carried out. */
export class ConnectionError extends CodedError {
  constructor(message: string, options?: ErrorOptions) {
    super("KUBE_CONNECTION", message, options);
  }
}

export function hasReason(error: unknown, ...reasons: StatusReason[]): error is KubeError {
  return error instanceof KubeError && reasons.includes(error.reason);
}

export const isNotFound = (error: unknown): error is KubeError => hasReason(error, "NotFound");
export const isConflict = (error: unknown): error is KubeError => hasReason(error, "Conflict");
export const isAlreadyExists = (error: unknown): error is KubeError => hasReason(error, "AlreadyExists");
/** The resourceVersion is too old for the server: list again. */
export const isExpired = (error: unknown): error is KubeError => hasReason(error, "Expired", "Gone");
