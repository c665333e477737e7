/** As much of Protocol Buffers' wire format as our few messages need. */

/** A field as it is on the wire: numbers are varints, all else comes as bytes. */
export type Field = bigint | Uint8Array;

/** Fields by their numbers, in the order in which they came. Unknown ones don't hurt. */
export type Message = ReadonlyMap<number, readonly Field[]>;

const lengthDelimited = 2;

/** Throws for what is no message. */
export function decode(bytes: Uint8Array): Message {
  const fields = new Map<number, Field[]>();
  let offset = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[offset++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error("not a Protocol Buffers message");
  };
  const take = (length: number): Uint8Array => {
    if (offset + length > bytes.length) throw new Error("a Protocol Buffers message is cut off");
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  while (offset < bytes.length) {
    const key = varint();
    const number = Number(key >> 3n);
    let field: Field;
    switch (Number(key & 7n)) {
      case 0:
        field = varint();
        break;
      case 1:
        field = take(8);
        break;
      case lengthDelimited:
        field = take(Number(varint()));
        break;
      case 5:
        field = take(4);
        break;
      default:
        throw new Error("not a Protocol Buffers message");
    }
    fields.set(number, [...(fields.get(number) ?? []), field]);
  }
  return fields;
}

/** Of a field that came more than once, the last one counts. */
export function textOf(message: Message, number: number): string {
  const field = message.get(number)?.at(-1);
  return field instanceof Uint8Array ? Buffer.from(field).toString("utf8") : "";
}

/** A signed integer of 32 or 64 bits. */
export function integerOf(message: Message, number: number): number {
  const field = message.get(number)?.at(-1);
  return typeof field === "bigint" ? Number(BigInt.asIntN(64, field)) : 0;
}

export function messageOf(message: Message, number: number): Message | undefined {
  const field = message.get(number)?.at(-1);
  return field instanceof Uint8Array ? decode(field) : undefined;
}

export type Encodable = string | number | boolean | Uint8Array | readonly Fields[];

/** Field numbers and what they hold. Messages inside of messages are lists, for repeated ones and for single ones. */
export type Fields = Readonly<Record<number, Encodable>>;

export function encode(fields: Fields): Uint8Array {
  const parts = Object.entries(fields).map(([number, value]) => encodeField(Number(number), value));
  return Buffer.concat(parts);
}

function encodeField(number: number, value: Encodable): Uint8Array {
  if (typeof value === "number" || typeof value === "boolean") {
    return Buffer.concat([encodeVarint(number << 3), encodeVarint(Number(value))]);
  }
  if (typeof value === "string") return delimited(number, Buffer.from(value, "utf8"));
  if (value instanceof Uint8Array) return delimited(number, value);
  return Buffer.concat(value.map((each) => delimited(number, encode(each))));
}

function delimited(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([encodeVarint((number << 3) | lengthDelimited), encodeVarint(bytes.length), bytes]);
}

function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(rest)]);
}
