import { constantSections, droppedOptions, safetyOptions } from "./constants.ts";
import type { Options } from "./defaults.ts";

/** What a user should know about an option in the ConfigMap. */
export interface OptionProblem {
  readonly option: string;
  /** `error`: mysqld would not start, or not as meant. `warning`: it does something else than it seems to. */
  readonly severity: "error" | "warning";
  /** A sentence that begins with the option's name. */
  readonly text: string;
}

const forced: ReadonlySet<string> = new Set(
  [...Object.keys(constantSections.mysqld), ...Object.keys(safetyOptions)].map(withoutLoose),
);
const dropped: ReadonlySet<string> = new Set(droppedOptions);

/** With any other value than 1, what was acknowledged can be lost in a crash. */
const durability: Readonly<Record<string, string>> = {
  sync_binlog: "transactions that were acknowledged can be lost when the node loses power",
  innodb_flush_log_at_trx_commit: "the last second of transactions can be lost when the node loses power",
};

/** Looks at the user's options without knowing MySQL's version: whether mysqld knows them is for mysqld to say. */
export function reviewUserOptions(userOptions: Options): OptionProblem[] {
  return Object.entries(userOptions).flatMap(([option, value]): OptionProblem[] => {
    if (option === "_include") return [];
    const error = (text: string): OptionProblem[] => [{ option, severity: "error", text: `${option} ${text}` }];
    const warning = (text: string): OptionProblem[] => [{ option, severity: "warning", text: `${option} ${text}` }];
    if (!/^[A-Za-z0-9_][\w.:-]*$/.test(option)) return error("is not the name of an option");
    if (/[\r\n]/.test(value)) return error("has a value of several lines: use _include for what is not one option");
    const name = withoutLoose(option.replaceAll("-", "_"));
    if (dropped.has(name))
      return warning("is left out: the operator needs the binary log and the log on standard error");
    if (forced.has(name)) return warning("has no effect: the operator sets it");
    const loss = durability[name];
    if (loss !== undefined && value.trim() !== "1") return warning(`is ${value.trim()}: ${loss}`);
    return [];
  });
}

function withoutLoose(option: string): string {
  return option.startsWith("loose_") ? option.slice("loose_".length) : option;
}
