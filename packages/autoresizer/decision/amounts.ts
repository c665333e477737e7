import { CodedError, describeError, parseQuantity } from "@moco-ts/base";
import { remember } from "./remember.ts";

/** A share of something, or so many bytes. */
export type Amount = Percentage | { readonly kind: "bytes"; readonly bytes: bigint };

/** `billionths` of a percent, since a percentage may have a fraction. */
export interface Percentage {
  readonly kind: "percentage";
  readonly billionths: bigint;
}

/** The API server counts storage in signed 64 bits. What is larger than that is as good as that. */
export const largestSize = 2n ** 63n - 1n;

const billion = 1_000_000_000n;
const billionthsOfAll = 100n * billion;
const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;

/** `10%`, or a positive quantity such as `5Gi`. */
export const parseAmount = remember((text): Amount => {
  if (text.endsWith("%")) return parsePercentage(text);
  const bytes = parseSize(text);
  if (bytes <= 0n) throw invalid(`annotation value should be positive: ${text}`);
  return { kind: "bytes", bytes };
});

/** `10%`: between 0 and 100. 0 is a threshold that is never reached. */
export const parsePercentage = remember((text): Percentage => {
  if (!text.endsWith("%")) throw invalid(`annotation value should be in percent notation: ${text}`);
  const rate = text.slice(0, -1);
  if (!number.test(rate)) throw invalid(`not a number: ${text}`);
  const billionths = parseQuantity(rate);
  if (billionths < 0n || billionths > billionthsOfAll) {
    throw invalid(`annotation value should between 0 and 100: ${text}`);
  }
  return { kind: "percentage", billionths };
});

/** A quantity in whole bytes, rounded down: a limit must not grow by being read. */
export const parseSize = remember((text): bigint => {
  try {
    const bytes = floor(parseQuantity(text), billion);
    return bytes > largestSize ? largestSize : bytes;
  } catch (error) {
    throw invalid(describeError(error));
  }
});

/** How much that is of `whole`; shares are rounded down. */
export function amountOf(amount: Amount, whole: bigint): bigint {
  return amount.kind === "bytes" ? amount.bytes : (whole * amount.billionths) / billionthsOfAll;
}

/** Never negative: what is below zero is refused before anybody asks how far. */
function floor(value: bigint, divisor: bigint): bigint {
  return value < 0n ? -1n : value / divisor;
}

function invalid(message: string): CodedError {
  return new CodedError("ANNOTATION_INVALID", message);
}
