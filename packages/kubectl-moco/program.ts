import { systemClock, type Clock } from "@moco-ts/base";
import { Command } from "commander";
import { addCompletion } from "./completion/command.ts";
import { createValueFinder } from "./completion/values.ts";
import { addCredential } from "./credential/command.ts";
import { outcomeOf } from "./failure.ts";
import { addForget } from "./forget/command.ts";
import { addGlobalFlags, type GlobalFlags } from "./global-flags.ts";
import { print, type Io } from "./io.ts";
import { addMysql } from "./mysql/command.ts";
import { addReclone } from "./reclone/command.ts";
import { withSession } from "./session.ts";
import { addStart } from "./start/command.ts";
import { addStatus } from "./status/command.ts";
import { addStop } from "./stop/command.ts";
import { addSwitchover } from "./switchover/command.ts";
import type { Tools } from "./tools.ts";

export interface Surroundings {
  readonly io: Io;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted when the user presses Ctrl-C. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** Runs one command line and returns its exit code. Never rejects. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { io, signal } = surroundings;
  try {
    await createProgram(surroundings).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    const { text, exitCode } = outcomeOf(error, signal);
    await print(io.stderr, text);
    return exitCode;
  }
}

export function createProgram({ io, environment, signal, clock = systemClock }: Surroundings): Command {
  const tools: Tools = {
    io,
    clock,
    signal,
    colours: wantsColours(io, environment),
    connect: (command, use) => withSession(command.optsWithGlobals<GlobalFlags>(), environment, use),
  };
  const program = new Command("kubectl moco")
    .description("Looks after MySQL clusters that moco runs.")
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("Add --help to see how it is used.");
  addGlobalFlags(program);
  program.addHelpText("after", examples);
  addStatus(program, tools);
  addMysql(program, tools);
  addCredential(program, tools);
  addSwitchover(program, tools);
  addReclone(program, tools);
  addForget(program, tools);
  addStop(program, tools);
  addStart(program, tools);
  addCompletion(program, tools, createValueFinder(environment, signal));
  return program;
}

/** FORCE_COLOR is for programs that show on a terminal what they read from us. */
function wantsColours({ stdout }: Io, environment: Surroundings["environment"]): boolean {
  if (environment["NO_COLOR"]) return false;
  return !!environment["FORCE_COLOR"] || (!!stdout.isTTY && environment["TERM"] !== "dumb");
}

const examples = `
Examples:
  kubectl moco status test
  kubectl moco mysql -it test
  kubectl moco switchover test --wait

kubectl moco COMMAND --help tells more of each.`;
