import { InvalidArgumentError, Option } from "commander";
import { defaultClusterName } from "../cluster/definition.ts";

/** --name, the same for every command. */
export function nameOption(): Option {
  return new Option("--name <name>", "the cluster").default(defaultClusterName);
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new InvalidArgumentError("it must be a whole number of at least 1.");
  }
  return value;
}
