import type { Clock } from "@moco-ts/base";
import type { Command } from "commander";
import type { Io } from "./io.ts";
import type { Session } from "./session.ts";

/** What every command is given. */
export interface Tools {
  readonly io: Io;
  readonly clock: Clock;
  /** Aborted when the user presses Ctrl-C. */
  readonly signal: AbortSignal;
  /** True if output for people may have colours. */
  readonly colours: boolean;
  /** Connects as the command's flags say, runs `use`, and hangs up. */
  connect<T>(command: Command, use: (session: Session) => Promise<T>): Promise<T>;
}
