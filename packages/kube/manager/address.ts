import { CodedError } from "@moco-ts/base";

/** Where to listen. Without a host: on all addresses. */
export interface Address {
  readonly host?: string;
  readonly port: number;
}

/**
 * Reads an address as Go programs write it in flags: `:8080`, `127.0.0.1:8080`, `[::1]:8080`. Port 0 takes a free one.
 * `0` or nothing at all means not to listen: undefined.
 */
export function parseAddress(text: string): Address | undefined {
  if (text === "" || text === "0") return undefined;
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) {
    throw new CodedError(
      "ADDRESS_INVALID",
      `not an address to listen on: "${text}" (like ":8080" or "127.0.0.1:8080")`,
    );
  }
  const host = match[1] ?? match[2];
  return host ? { host, port } : { port };
}
