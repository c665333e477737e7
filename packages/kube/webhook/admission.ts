/** The vocabulary of admission.k8s.io/v1: what the API server asks a webhook, and what it gets as an answer. */
import type { FieldCause } from "../rest/errors.ts";
import type { KubeObject } from "../types/object.ts";

interface RequestFields {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly userInfo: { readonly username?: string; readonly uid?: string; readonly groups?: readonly string[] };
  /** Handlers must not have side effects if it is set. */
  readonly dryRun?: boolean;
}

/** What is about to happen to an object. */
export type AdmissionRequest<T extends KubeObject = KubeObject> = RequestFields &
  (
    | { readonly operation: "CREATE"; readonly object: T; readonly oldObject?: undefined }
    | { readonly operation: "UPDATE"; readonly object: T; readonly oldObject: T }
    | { readonly operation: "DELETE"; readonly object?: undefined; readonly oldObject: T }
    | { readonly operation: "CONNECT"; readonly object: T; readonly oldObject?: undefined }
  );

/** A handler's verdict. Warnings are shown to the user in any case: up to 120 characters each, no secrets. */
export type Verdict = { readonly warnings?: readonly string[] } & (
  { readonly allowed: true } | { readonly allowed: false; readonly status: RefusalStatus }
);

export interface RefusalStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: { readonly causes: readonly FieldCause[] };
}

export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: RefusalStatus;
  readonly warnings?: readonly string[];
  readonly patchType?: "JSONPatch";
  readonly patch?: string;
}

/** @example return allow(["spec.x is deprecated: use spec.y"]); */
export function allow(warnings: readonly string[] = []): Verdict {
  return { allowed: true, warnings };
}

/** What the user may not do, whatever the object says. */
export function forbid(message: string, warnings: readonly string[] = []): Verdict {
  return { allowed: false, warnings, status: { code: 403, reason: "Forbidden", message } };
}

/**
 * An object that is wrong, field by field: kubectl shows the message, programs read the causes.
 *
 * @example return refuse([{ reason: "FieldValueInvalid", field: "spec.replicas", message: "must be odd" }]);
 */
export function refuse(causes: readonly FieldCause[], warnings: readonly string[] = []): Verdict {
  const message = causes.map((cause) => `${cause.field}: ${cause.message}`).join(", ");
  return { allowed: false, warnings, status: { code: 422, reason: "Invalid", message, details: { causes } } };
}

/** The handler failed: nothing is said about the object, and no stack leaves the process. */
export function failed(code: number, message: string): Verdict {
  return { allowed: false, status: { code, reason: code === 504 ? "Timeout" : "InternalError", message } };
}
