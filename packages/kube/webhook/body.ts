import type { IncomingMessage } from "node:http";
import { CodedError, raceAbort } from "@moco-ts/base";
import type { AdmissionRequest } from "./admission.ts";

/** What is wrong with a request before any handler sees it; answered with the HTTP status. */
export class RequestError extends CodedError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(`WEBHOOK_HTTP_${status}`, message);
    this.status = status;
  }
}

/** A body that is refused is still taken off the wire, so that the client reads the answer, but not without end. */
const mostDiscarded = 64 * 1024 * 1024;

/** The body as text. More than `limit` bytes are refused as soon as that is known, and not kept. */
export function readBody(request: IncomingMessage, limit: number, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let size = 0;
  let refused = false;
  const refuse = (): void => {
    refused = true;
    chunks.length = 0;
    reject(new RequestError(413, `the body is larger than ${limit} bytes`));
  };
  if (Number(request.headers["content-length"] ?? 0) > limit) refuse();
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (!refused) chunks.push(chunk);
    if (size > limit) refuse();
    if (size > mostDiscarded) request.destroy();
  });
  request.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
  request.on("error", reject);
  request.on("close", () => reject(new RequestError(400, "the request ended before its body did")));
  return raceAbort(promise, signal);
}

/** The request in an AdmissionReview. */
export function parseReview(text: string): AdmissionRequest {
  let review: { apiVersion?: unknown; kind?: unknown; request?: Partial<AdmissionRequest> | null } | null;
  try {
    review = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may hold a secret.
    throw new RequestError(400, "the body is not JSON");
  }
  if (review?.kind !== "AdmissionReview" || review.apiVersion !== "admission.k8s.io/v1") {
    throw new RequestError(400, "the body is not an AdmissionReview of admission.k8s.io/v1");
  }
  const { request } = review;
  if (typeof request?.uid !== "string" || request.operation === undefined) {
    throw new RequestError(400, "the AdmissionReview has no request with uid and operation");
  }
  return withoutNulls(request as AdmissionRequest);
}

/** The API server sends null for an object that there is none of. */
function withoutNulls(request: AdmissionRequest): AdmissionRequest {
  return Object.fromEntries(
    Object.entries(request).filter(([, value]) => value !== null),
  ) as unknown as AdmissionRequest;
}
