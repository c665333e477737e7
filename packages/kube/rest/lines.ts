import { ConnectionError } from "./errors.ts";

const newline = 0x0a;
/** etcd takes no object over a few megabytes; whatever sends longer lines is not an API server. */
const longestLine = 64 * 2 ** 20;

/**
 * Cuts a stream of bytes into lines. Only the line under way is kept, as the pieces it came in, so that large objects cost
 * no repeated copying. `onChunk` is told of every sign of life. Bytes after the last newline mean that the stream was cut: the line is never delivered.
 */
export async function* splitLines(chunks: AsyncIterable<Buffer>, onChunk?: () => void): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    onChunk?.();
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      if (pieces.length > 0) {
        pieces.push(chunk.subarray(start, end));
        yield Buffer.concat(pieces).toString("utf8");
        pieces = [];
        length = 0;
      } else if (end > start) {
        yield chunk.toString("utf8", start, end);
      }
      start = end + 1;
    }
    if (start === chunk.length) continue;
    pieces.push(start === 0 ? chunk : chunk.subarray(start));
    length += chunk.length - start;
    if (length > longestLine) throw new ConnectionError(`the server sent a line of over ${longestLine} bytes`);
  }
  if (length > 0) throw new ConnectionError("the stream was cut in the middle of a line");
}
