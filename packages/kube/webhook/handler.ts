import type { KubeObject } from "../types/object.ts";
import type { AdmissionRequest, AdmissionResponse, Verdict } from "./admission.ts";
import { diff } from "./json-patch.ts";

/** Says whether something may happen. */
export type ValidatingHandler<T extends KubeObject> = (
  request: AdmissionRequest<T>,
  signal: AbortSignal,
) => Verdict | Promise<Verdict>;

/** The object as it shall be (the given one may be changed in place), or a verdict if it stays as it is. */
export type MutatingHandler<T extends KubeObject> = (
  request: AdmissionRequest<T>,
  signal: AbortSignal,
) => Mutation<T> | Verdict | Promise<Mutation<T> | Verdict>;

export interface Mutation<T> {
  readonly object: T;
  readonly warnings?: readonly string[];
}

/** Both kinds of handlers, as the server calls them. */
export type Handler = (request: AdmissionRequest, signal: AbortSignal) => Promise<AdmissionResponse>;

export function validating<T extends KubeObject>(handler: ValidatingHandler<T>): Handler {
  return async (request, signal) => respond(request, await handler(request as AdmissionRequest<T>, signal));
}

export function mutating<T extends KubeObject>(handler: MutatingHandler<T>): Handler {
  return async (request, signal) => {
    const original = structuredClone(request.object);
    const answer = await handler(request as AdmissionRequest<T>, signal);
    if ("allowed" in answer) return respond(request, answer);
    const { object, warnings = [] } = answer;
    // Through JSON, so that fields that are undefined count as absent.
    const operations = diff(original, JSON.parse(JSON.stringify(object)));
    const response = respond(request, { allowed: true, warnings });
    if (operations.length === 0) return response;
    const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
    return { ...response, patchType: "JSONPatch", patch };
  };
}

export function respond({ uid }: AdmissionRequest, verdict: Verdict): AdmissionResponse {
  const { allowed, warnings = [] } = verdict;
  return {
    uid,
    allowed,
    ...(!verdict.allowed && { status: verdict.status }),
    ...(warnings.length > 0 && { warnings }),
  };
}
