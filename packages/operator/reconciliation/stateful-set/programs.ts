import { podPaths } from "@moco-ts/mysql";

/** Programs of the agent's image, in its root directory, that run in containers of the user's mysqld image. */
export const programs = {
  /** Prepares the data directory. */
  init: "moco-init",
  /** Process 1 of mysqld's container: cuts clients off before it lets mysqld end. */
  mysqld: "moco-mysqld",
  /** Waits until the instance is no longer the primary, but not longer than the seconds that it is given. */
  preStop: "moco-pre-stop",
} as const;

/** Copies programs from the agent's image to the shared volume. */
export function copyCommand(names: readonly string[]): string[] {
  const [only] = names;
  if (names.length === 1) return ["cp", `/${only}`, `${podPaths.shared}/${only}`];
  return ["cp", ...names.map((name) => `/${name}`), podPaths.shared];
}
