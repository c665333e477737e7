import { createInterface } from "node:readline/promises";
import { Failure, usageError } from "./failure.ts";
import type { Io } from "./io.ts";

/** Throws unless a person says yes. */
export async function confirm({ stdin, stdout }: Io, warning: string, signal: AbortSignal): Promise<void> {
  if (!stdin.isTTY) throw usageError("nobody can be asked for confirmation here", "Add --yes if you are sure.");
  const prompt = createInterface({ input: stdin, output: stdout });
  try {
    const answer = await prompt.question(`${warning}\nGo on? [y/N] `, { signal });
    if (!/^\s*y(es)?\s*$/i.test(answer)) throw new Failure("nothing was done");
  } finally {
    prompt.close();
  }
}
