import type { Command, Option } from "commander";
import { positionOf, type Position } from "./position.ts";

export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

/** What a shell offers: these, or the names of files. */
export type Completion = { readonly candidates: readonly Candidate[] } | "files";

/** Finds what a word may be: the name of an option or argument, and what has been said so far. */
export type ValueFinder = (name: string, position: Position) => Promise<Completion>;

/** What may stand where the cursor is. */
export async function complete(
  program: Command,
  line: readonly string[],
  findValues: ValueFinder,
): Promise<Completion> {
  const position = positionOf(program, line);
  const found = await candidatesAt(position, findValues);
  if (found === "files") return found;
  const candidates = found.candidates.filter(({ value }) => value.startsWith(position.typed));
  return { candidates: candidates.map(({ value, ...rest }) => ({ value: position.prefix + value, ...rest })) };
}

function candidatesAt(position: Position, findValues: ValueFinder): Promise<Completion> | Completion {
  const { command } = position;
  const help = command.createHelp();
  switch (position.kind) {
    case "value":
      return findValues(position.option.long ?? "", position);
    case "option":
      return {
        candidates: [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(optionCandidate),
      };
    case "command":
      return { candidates: help.visibleCommands(command).map(commandCandidate) };
    case "argument":
      return findValues(position.argument.name(), position);
    default:
      return "files";
  }
}

function optionCandidate({ long, description }: Option): Candidate {
  return { value: long ?? "", description };
}

function commandCandidate(command: Command): Candidate {
  return { value: command.name(), description: command.description() };
}

/**
 * As kubectl and scripts made by cobra read it: a candidate on each line, after a tab what it means, and at the end
 * whether names of files may be offered instead (0) or not (4).
 */
export function formatCompletion(completion: Completion): string {
  if (completion === "files") return ":0\n";
  const lines = completion.candidates.map(({ value, description }) =>
    description ? `${value}\t${description.split("\n")[0]}` : value,
  );
  return [...lines, ":4", ""].join("\n");
}
