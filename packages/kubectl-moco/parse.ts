import { parseDuration } from "@moco-ts/base";
import { InvalidArgumentError } from "commander";

/** Readers of flags' values, which tell the user what is wrong with one. */

export function parseIndex(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Not an index: 0, 1, 2 ...");
  return Number(text);
}

/** Milliseconds. As kubectl takes it, a number alone is seconds. */
export function parseTime(text: string): number {
  try {
    const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text);
    if (milliseconds >= 0) return milliseconds;
  } catch {
    // Told below.
  }
  throw new InvalidArgumentError("Not a time: 10s, 1m30s, 0 ...");
}
