import { decode, integerOf, messageOf, textOf } from "../grpc/protobuf.ts";

/** What the controller asks for; passwords included, so it is never logged. */
export interface CloneRequest {
  /** Of the donor. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Who can log in when the donor's data are here, and make our users. */
  readonly initUser: string;
  readonly initPassword: string;
  /** Milliseconds in which mysqld has to be up again; undefined leaves it to us. */
  readonly bootTimeout: number | undefined;
}

/** Field numbers of moco.CloneRequest. */
const fields = { host: 1, port: 2, user: 3, password: 4, initUser: 5, initPassword: 6, bootTimeout: 7 } as const;

export function decodeCloneRequest(bytes: Uint8Array): CloneRequest {
  const message = decode(bytes);
  const bootTimeout = messageOf(message, fields.bootTimeout);
  return {
    host: textOf(message, fields.host),
    port: integerOf(message, fields.port),
    user: textOf(message, fields.user),
    password: textOf(message, fields.password),
    initUser: textOf(message, fields.initUser),
    initPassword: textOf(message, fields.initPassword),
    // A google.protobuf.Duration: seconds and nanoseconds.
    bootTimeout: bootTimeout && integerOf(bootTimeout, 1) * 1000 + integerOf(bootTimeout, 2) / 1e6,
  };
}
