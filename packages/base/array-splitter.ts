const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

export interface ArrayPlace {
  /** The key of the array. */
  readonly key: string;
  /** How many objects and arrays are around an item, the array included. */
  readonly depth: number;
}

/**
 * Cuts JSON with a long array into the array's items as it arrives, so that one of any size is read with no more in memory
 * than the item under way. Bytes are followed only as far as it takes to know where an item ends; parsing is the caller's.
 */
export class ArraySplitter {
  readonly #itemDepth: number;
  readonly #beginning: RegExp;
  #depth = 0;
  #inString = false;
  /** The last byte was a backslash that belongs to the next. */
  #escaped = false;
  #inItems = false;
  /** The beginning of an item that is not complete yet. */
  #pieces: Buffer[] = [];
  /** One character for each byte. */
  #envelope = "";

  constructor({ key, depth }: ArrayPlace) {
    this.#itemDepth = depth;
    this.#beginning = new RegExp(`"${key}"\\s*:\\s*\\[$`);
  }

  /** Calls back for the items that are complete with this chunk. */
  take(chunk: Buffer, onItem: (text: string) => void): void {
    const itemDepth = this.#itemDepth;
    /** Of what is under way: an item, or what is around them. */
    let start = 0;
    for (let index = this.#inString ? this.#endOfString(chunk, 0) : 0; index < chunk.length; index++) {
      const byte = chunk[index];
      if (byte === quote) {
        this.#inString = true;
        index = this.#endOfString(chunk, index + 1) - 1;
      } else if (byte === openBrace || byte === openBracket) {
        this.#depth++;
        if (this.#depth === itemDepth && byte === openBracket) {
          this.#envelope += chunk.toString("latin1", start, index + 1);
          this.#inItems = this.#beginning.test(this.#envelope);
          start = index + 1;
        } else if (this.#depth === itemDepth + 1 && this.#inItems) {
          start = index;
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth--;
        if (!this.#inItems || this.#depth > itemDepth) continue;
        if (this.#depth === itemDepth) onItem(this.#item(chunk, start, index + 1));
        this.#inItems = this.#depth === itemDepth;
        start = this.#inItems ? index + 1 : index;
      }
    }
    if (!this.#inItems) this.#envelope += chunk.toString("latin1", start);
    else if (this.#depth > itemDepth) this.#pieces.push(chunk.subarray(start));
  }

  /** What is around the items, as far as it has come. */
  get envelope(): string {
    return Buffer.from(this.#envelope, "latin1").toString();
  }

  /** Whether all that was begun has ended. */
  get isComplete(): boolean {
    return this.#depth === 0 && this.#envelope !== "";
  }

  /** Where to go on after the string that goes on at `start`: most of a list's bytes are in strings, and passed over here. */
  #endOfString(chunk: Buffer, start: number): number {
    let index = this.#escaped ? start + 1 : start;
    // Most strings are so short that a search by Node would take longer.
    while (index < chunk.length) {
      const byte = chunk[index];
      if (byte === quote) {
        this.#inString = false;
        break;
      }
      index += byte === backslash ? 2 : 1;
    }
    // The last byte was a backslash.
    this.#escaped = index > chunk.length;
    return index + 1;
  }

  #item(chunk: Buffer, start: number, end: number): string {
    if (this.#pieces.length === 0) return chunk.toString("utf8", start, end);
    this.#pieces.push(chunk.subarray(0, end));
    const item = Buffer.concat(this.#pieces).toString("utf8");
    this.#pieces = [];
    return item;
  }
}
