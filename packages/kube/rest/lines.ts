import { ConnectionError } from "./errors.ts";

const newline = 0x0a;
/** etcd takes no object over a few megabytes; whatever sends longer lines is not an API server. */
const longestLine = 64 * 2 ** 20;

/**
 * Cuts bytes into lines. Only the line under way is kept, as the pieces it came in, so that large objects cost no repeated
 * copying.
 */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #length = 0;

  /** The lines that are complete with this chunk. Empty ones are left out. */
  *take(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      if (this.#length > 0) {
        this.#pieces.push(chunk.subarray(start, end));
        const line = Buffer.concat(this.#pieces).toString("utf8");
        this.#pieces = [];
        this.#length = 0;
        yield line;
      } else if (end > start) {
        yield chunk.toString("utf8", start, end);
      }
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#pieces.push(chunk.subarray(start));
    this.#length += chunk.length - start;
    if (this.#length > longestLine) throw new ConnectionError(`the server sent a line of over ${longestLine} bytes`);
  }

  /** Bytes after the last newline mean that the stream was cut: that line must never be used. */
  finish(): void {
    if (this.#length > 0) throw new ConnectionError("the stream was cut in the middle of a line");
  }
}
