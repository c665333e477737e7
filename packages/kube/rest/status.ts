import { KubeError, type FieldCause, type StatusReason } from "./errors.ts";

/** The part of metav1.Status that callers are told. */
export interface Status {
  readonly kind?: string;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly causes?: readonly Partial<FieldCause>[];
    readonly retryAfterSeconds?: number;
  };
}

/** What proxies and handlers outside the API machinery answer has only a number. */
const reasonsByCode: Readonly<Record<number, StatusReason>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Gone",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** An answer that is an error, as one that callers can tell apart. `what` was asked: `GET /api/v1/pods`. */
export function errorOfAnswer(what: string, code: number, body: string, retryAfter?: number): KubeError {
  let status: Status = {};
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === "object" && parsed !== null) status = parsed;
  } catch {
    // Not from the API server itself: the number has to do.
  }
  if (status.kind === "Status") return errorOfStatus(what, { code, ...status }, retryAfter);
  return new KubeError(`${what}: the server answered ${code}`, { status: code, reason: reasonOf(code), retryAfter });
}

export function errorOfStatus(what: string, status: Status, retryAfter?: number): KubeError {
  const code = status.code ?? 500;
  const { causes, retryAfterSeconds } = status.details ?? {};
  return new KubeError(status.message || `${what}: the server answered ${code}`, {
    status: code,
    reason: status.reason || reasonOf(code),
    causes: (causes ?? []).map(({ reason = "", field = "", message = "" }) => ({ reason, field, message })),
    retryAfter: retryAfter ?? (retryAfterSeconds ? retryAfterSeconds * 1000 : undefined),
  });
}

function reasonOf(code: number): StatusReason {
  return reasonsByCode[code] ?? (code >= 500 ? "InternalError" : "Unknown");
}

/** A Retry-After header, in seconds or as a date, as milliseconds from now. */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (!text) return undefined;
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(milliseconds) ? undefined : Math.max(milliseconds, 0);
}
