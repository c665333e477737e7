/** Receives one line for a person about what is going on. */
export type Report = (line: string) => void;

/** For library callers: slow steps are told on standard error, where they don't mix with a program's output. */
export const reportToStderr: Report = (line) => void process.stderr.write(`local-kubernetes: ${line}\n`);

/** "3.2 s" since a time taken with performance.now(). */
export function secondsSince(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
