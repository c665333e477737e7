import { GrpcError, grpcCodes } from "./status.ts";

/** Our messages have a few hundred bytes. */
const longestMessage = 1 << 20;

const headerLength = 5;

/** A message as gRPC puts it on the wire: not compressed, then its length. */
export function frame(message: Uint8Array): Buffer {
  const header = Buffer.alloc(headerLength);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** Puts messages together again, however they were cut. */
export class Unframer {
  #rest: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): Buffer[] {
    let rest = Buffer.concat([this.#rest, chunk]);
    const messages: Buffer[] = [];
    while (rest.length >= headerLength) {
      const length = rest.readUInt32BE(1);
      if (rest[0] !== 0) throw new GrpcError(grpcCodes.unimplemented, "compression is not supported");
      if (length > longestMessage) throw new GrpcError(grpcCodes.resourceExhausted, "the message is too long");
      if (rest.length < headerLength + length) break;
      messages.push(rest.subarray(headerLength, headerLength + length));
      rest = rest.subarray(headerLength + length);
    }
    this.#rest = rest;
    return messages;
  }
}
