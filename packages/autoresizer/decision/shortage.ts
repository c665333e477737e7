import type { VolumeUsage } from "../usage/usage.ts";
import { amountOf } from "./amounts.ts";
import type { Policy } from "./policy.ts";
import { percentText, sizeText } from "./text.ts";

/** What a volume is short of, for people. Undefined if it has enough. */
export function whyLow(usage: VolumeUsage, { threshold, inodesThreshold }: Policy): string | undefined {
  const { capacity, available, inodes, inodesFree } = usage;
  const wanted = amountOf(threshold, BigInt(capacity));
  if (BigInt(available) < wanted) {
    return `${sizeText(available)} (${percentText(available, capacity)}) are available, less than ${sizeText(wanted)}`;
  }
  // Some file systems have no fixed number of inodes, and some drivers don't tell.
  if (!inodes || inodesFree === undefined) return undefined;
  const wantedInodes = amountOf(inodesThreshold, BigInt(inodes));
  if (BigInt(inodesFree) >= wantedInodes) return undefined;
  return `${inodesFree} inodes (${percentText(inodesFree, inodes)}) are free, less than ${wantedInodes}`;
}
