import { CodedError } from "./errors.ts";

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 60e3,
  h: 3600e3,
};
// Escaped, since one character beyond Latin 1 makes Node keep a whole bundled program in twice the memory.
const part = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** A duration as Go's flags and Kubernetes' users write it (`1m30s`, `300ms`, `0`) in milliseconds. */
export function parseDuration(text: string): number {
  const body = text.trim().replace(/^[+-]/, "");
  if (body === "0") return 0;
  let total = 0;
  part.lastIndex = 0;
  while (part.lastIndex < body.length) {
    const match = part.exec(body);
    if (!match) throw invalid(text);
    total += Number(match[1]) * units[match[2]!]!;
  }
  if (body === "") throw invalid(text);
  return text.trim().startsWith("-") ? -total : total;
}

/** Milliseconds as Go prints a duration: `1m30s`, `250ms`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return "0s";
  const sign = milliseconds < 0 ? "-" : "";
  const size = Math.abs(milliseconds);
  if (size < 1000) return `${sign}${round(size)}ms`;
  const hours = Math.floor(size / 3600e3);
  const minutes = Math.floor((size % 3600e3) / 60e3);
  const seconds = round((size % 60e3) / 1000);
  return `${sign}${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${seconds}s`;
}

function round(value: number): string {
  return String(Number(value.toFixed(3)));
}

function invalid(text: string): CodedError {
  return new CodedError("DURATION_INVALID", `not a duration: ${JSON.stringify(text)} (examples: 30s, 1m30s, 250ms)`);
}
