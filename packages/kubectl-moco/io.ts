import type { Readable, Writable } from "node:stream";

/** Where a command reads and writes: the process's own streams, or a test's. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
}

export type Input = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** Resolves when the text is on its way: an end of the program must not cut it off. */
export function print(output: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

export function printLine(output: Output, text: string): Promise<void> {
  return print(output, `${text}\n`);
}
