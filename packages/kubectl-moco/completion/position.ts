import type { Argument, Command, Option } from "commander";

/** What stands where the cursor is, and what has been said before it. */
export type Position = (
  | { readonly kind: "value"; readonly option: Option }
  | { readonly kind: "option" }
  | { readonly kind: "command" }
  | { readonly kind: "argument"; readonly argument: Argument }
  | { readonly kind: "nothing" }
) & {
  /** The command as far as it has been named. */
  readonly command: Command;
  /** Its arguments so far. */
  readonly words: readonly string[];
  /** Options so far, by the names that commands know them by. */
  readonly options: Readonly<Record<string, string | true>>;
  /** What has been typed of the word in question, without `--option=`. */
  readonly typed: string;
  /** What comes before that in the same word. */
  readonly prefix: string;
};

/** Reads a command line up to the cursor, whose word is the last one and may be empty. */
export function positionOf(program: Command, line: readonly string[]): Position {
  const before = line.slice(0, -1);
  const current = line.at(-1) ?? "";
  let command = program;
  const words: string[] = [];
  const options: Record<string, string | true> = {};
  let pending: Option | undefined;
  for (const [index, word] of before.entries()) {
    if (pending) {
      options[pending.attributeName()] = word;
      pending = undefined;
    } else if (word === "--") {
      const rest = before.slice(index + 1);
      return { kind: "nothing", command, words: [...words, ...rest], options, typed: current, prefix: "" };
    } else if (word.startsWith("-") && word !== "-") {
      const [name, value] = splitOption(word);
      const option = findOption(command, name);
      if (option && takesValue(option) && value === undefined) pending = option;
      else if (option) options[option.attributeName()] = value ?? true;
    } else {
      const next = words.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next) command = next;
      else words.push(word);
    }
  }
  const said = { command, words, options };
  if (pending) return { kind: "value", option: pending, ...said, typed: current, prefix: "" };
  return { ...said, ...atCursor(command, words, current) };
}

type AtCursor = Position extends infer P
  ? P extends Position
    ? Omit<P, "command" | "words" | "options">
    : never
  : never;

function atCursor(command: Command, words: readonly string[], current: string): AtCursor {
  if (current.startsWith("-")) {
    const [name, value] = splitOption(current);
    const option = value === undefined ? undefined : findOption(command, name);
    if (option) return { kind: "value", option, typed: value!, prefix: `${name}=` };
    return { kind: "option", typed: current, prefix: "" };
  }
  const place = { typed: current, prefix: "" };
  if (command.commands.length > 0) return { kind: "command", ...place };
  const argument = command.registeredArguments[words.length];
  return argument ? { kind: "argument", argument, ...place } : { kind: "nothing", ...place };
}

/** Of the command and of those above it. */
function optionsOf(command: Command): Option[] {
  return [...command.options, ...(command.parent ? optionsOf(command.parent) : [])].filter(({ hidden }) => !hidden);
}

function findOption(command: Command, name: string): Option | undefined {
  return optionsOf(command).find(({ long, short }) => long === name || short === name);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function splitOption(word: string): [string, string | undefined] {
  const equals = word.startsWith("--") ? word.indexOf("=") : -1;
  return equals < 0 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
}
