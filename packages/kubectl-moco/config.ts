/** The one place that knows the process's environment. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
