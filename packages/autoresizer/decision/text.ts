import { formatBytes } from "@moco-ts/base";

const decimalSuffixes = ["", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** An exact quantity in the notation that is shorter: `3Gi`, `20G`. */
export function quantityText(bytes: bigint): string {
  const binary = formatBytes(bytes);
  const decimal = decimalText(bytes);
  return decimal.length < binary.length ? decimal : binary;
}

function decimalText(bytes: bigint): string {
  let value = bytes;
  let suffix = 0;
  while (value !== 0n && value % 1000n === 0n && suffix < decimalSuffixes.length - 1) {
    value /= 1000n;
    suffix++;
  }
  return `${value}${decimalSuffixes[suffix]}`;
}

/** A size for people to compare, with three digits: `1.23Gi`, `512Mi`. */
export function sizeText(bytes: bigint | number): string {
  let value = Number(bytes);
  let suffix = "B";
  for (const next of binarySuffixes) {
    if (value < 1024) break;
    value /= 1024;
    suffix = next;
  }
  return `${Number(value.toPrecision(value < 1000 ? 3 : 4))}${suffix}`;
}

/** `6.2%` */
export function percentText(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Number(((100 * part) / whole).toFixed(1))}%`;
}
