import { CodedError } from "./errors.ts";

/** Powers of ten that decimal suffixes and exponents stand for, and factors of the binary ones. */
const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffixes = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE]?)|([KMGTPE]i)|[eE]([+-]?\d{1,3}))$/;

/** The finest step that a quantity can have; the API server rounds finer ones up, and so do we. */
const nano = 1_000_000_000n;

/**
 * A Kubernetes quantity (`1500m`, `1.5Ti`, `1e3`, `10Gi`) as an exact number of billionths.
 * Exact, because volume sizes exceed what a double can hold.
 */
export function parseQuantity(text: string): bigint {
  const match = pattern.exec(text.trim());
  const [, sign = "", whole = "", fraction = "", suffix = "", binary = "", exponent = ""] = match ?? [];
  if (!match || (whole === "" && fraction === "")) {
    throw new CodedError("QUANTITY_INVALID", `not a quantity: ${JSON.stringify(text)} (examples: 10Gi, 500M, 1.5Ti)`);
  }
  let numerator = BigInt(whole + fraction) * nano;
  let denominator = 10n ** BigInt(fraction.length);
  if (binary !== "") numerator *= 1024n ** BigInt(binarySuffixes.indexOf(binary as "Ki") + 1);
  const power = exponent !== "" ? Number(exponent) : decimalSuffixes[suffix]!;
  if (power >= 0) numerator *= 10n ** BigInt(power);
  else denominator *= 10n ** BigInt(-power);
  const magnitude = divideUp(numerator, denominator);
  return sign === "-" ? -magnitude : magnitude;
}

/** A quantity of storage in whole bytes, rounded up. */
export function parseBytes(text: string): bigint {
  const value = parseQuantity(text);
  return value >= 0n ? divideUp(value, nano) : value / nano;
}

/** Negative, zero or positive as `a` is smaller, the same or larger, whatever their notations. */
export function compareQuantities(a: string, b: string): number {
  const difference = parseQuantity(a) - parseQuantity(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Bytes with the largest binary suffix that keeps them exact: `3Gi`, `1536Mi`, `1000`. */
export function formatBytes(bytes: bigint): string {
  let value = bytes;
  let suffix = "";
  for (const next of binarySuffixes) {
    if (value === 0n || value % 1024n !== 0n) break;
    value /= 1024n;
    suffix = next;
  }
  return `${value}${suffix}`;
}

function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
