/** gRPC's status codes that the agent gives. */
export const grpcCodes = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export type GrpcCode = (typeof grpcCodes)[keyof typeof grpcCodes];

/** Names as metrics of gRPC servers have them. */
export const grpcCodeNames: Readonly<Record<GrpcCode, string>> = {
  0: "OK",
  2: "Unknown",
  3: "InvalidArgument",
  5: "NotFound",
  8: "ResourceExhausted",
  9: "FailedPrecondition",
  12: "Unimplemented",
  13: "Internal",
  14: "Unavailable",
  16: "Unauthenticated",
};

/** What a call ends with, if not with an answer. */
export class GrpcError extends Error {
  readonly code: GrpcCode;

  constructor(code: GrpcCode, message: string) {
    super(message);
    this.name = "GrpcError";
    this.code = code;
  }
}
