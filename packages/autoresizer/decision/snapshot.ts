import { parseBytes } from "@moco-ts/base";
import type { PersistentVolumeClaim, StorageClass } from "@moco-ts/kube";
import type { VolumeUsage } from "../usage/usage.ts";
import { remember } from "./remember.ts";

/** Everything that a decision depends on, but for the rules and the time. */
export interface Snapshot {
  readonly claim: PersistentVolumeClaim;
  /** The claim's class, if it exists. */
  readonly storageClass: StorageClass | undefined;
  /** Undefined for a volume that nobody has mounted, or whose node does not answer. */
  readonly usage: VolumeUsage | undefined;
  /** The largest request in the group that the claim grows with, if it has one. */
  readonly groupRequest?: bigint | undefined;
  readonly recollection?: Recollection | undefined;
}

/** What was seen in earlier rounds. */
export interface Recollection {
  /** The claim grew, but at last look the file system still had this size: numbers with it are from before. */
  readonly staleCapacity?: number | undefined;
  /** The file system had another size in the round before. */
  readonly justChanged?: boolean | undefined;
  /** When it was first seen to wait for a resize; it has waited ever since. */
  readonly waitingSince?: number | undefined;
  /** When another claim of the same name was last seen: its numbers may still be around. */
  readonly namesakeSeenAt?: number | undefined;
}

/** What is asked for, in bytes. */
export function requestOf(claim: PersistentVolumeClaim): bigint {
  return bytesOf(claim.spec?.resources?.requests?.["storage"]);
}

/** What there is, in bytes. 0 if that is not known yet. */
export function capacityOf(claim: PersistentVolumeClaim): bigint {
  return bytesOf(claim.status?.capacity?.["storage"]);
}

const parseStorage = remember(parseBytes);

function bytesOf(quantity: string | undefined): bigint {
  return quantity === undefined ? 0n : parseStorage(quantity);
}
