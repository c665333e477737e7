import { CodedError } from "@moco-ts/base";

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
/** Where series are: in the answer, in its `data`, in their array. */
const seriesDepth = 3;
/** Bytes; a series has hundreds. */
const largestPiece = 4 << 20;

/**
 * Cuts an answer of Prometheus into its series as it arrives. With thousands of volumes an answer has megabytes, and as
 * objects ten times as many: only one series is ever looked at.
 */
export class ResultSplitter {
  /** What is around the series, which says whether they are any good. */
  envelope = "";
  #depth = 0;
  #inString = false;
  /** The last byte was a backslash that belongs to the next. */
  #escaped = false;
  #inSeries = false;
  /** The beginning of what goes on with the next chunk. */
  #rest: Buffer = Buffer.alloc(0);

  /** Calls back with the text of each series that is complete with this chunk, byte by byte: names are ASCII. */
  take(more: Buffer, onSeries: (text: string) => void): void {
    const chunk = this.#rest.length === 0 ? more : Buffer.concat([this.#rest, more]);
    // In variables, since this loop sees every byte.
    let [depth, inString, escaped, inSeries] = [this.#depth, this.#inString, this.#escaped, this.#inSeries];
    /** Where what is under way begins: a series, or what is around them. */
    let start = 0;
    for (let index = this.#rest.length; index < chunk.length; index++) {
      if (inString && !escaped)
        while (index < chunk.length && chunk[index] !== quote && chunk[index] !== backslash) index++;
      const byte = chunk[index];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) {
        inString = true;
      } else if (byte === openBrace || byte === openBracket) {
        depth++;
        if (byte === openBrace && depth === seriesDepth + 1) {
          this.#addEnvelope(chunk.toString("utf8", start, index));
          inSeries = true;
          start = index;
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--;
        if (inSeries && depth === seriesDepth) {
          onSeries(chunk.toString("latin1", start, index + 1));
          inSeries = false;
          start = index + 1;
        }
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    this.#inSeries = inSeries;
    this.#rest = chunk.subarray(start);
    if (this.#rest.length > largestPiece) throw new CodedError("PROMETHEUS_ANSWER", "the answer makes no sense");
  }

  /** Nothing more comes. */
  finish(): void {
    this.#addEnvelope(this.#rest.toString("utf8"));
  }

  /** Without the commas between series, what is left is JSON again. */
  #addEnvelope(text: string): void {
    if (text.trim() !== ",") this.envelope += text;
  }
}
