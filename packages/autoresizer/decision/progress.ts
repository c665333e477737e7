import { formatDuration } from "@moco-ts/base";
import type { PersistentVolumeClaim } from "@moco-ts/kube";
import { annotationKeys } from "../annotations.ts";
import type { Problem } from "./plan.ts";
import { annotation, AnnotationError } from "./policy.ts";
import { requestOf, type Snapshot } from "./snapshot.ts";
import { quantityText } from "./text.ts";

export interface Patience {
  /** Milliseconds after which a resize that has not ended is a problem. */
  readonly resizeTimeout: number;
  /** Milliseconds after which such a resize is tried again. */
  readonly retryAfter: number;
}

/** Why a resize seems to be under way, or undefined if none is. */
export function whyResizing(claim: PersistentVolumeClaim, request: bigint, capacity: bigint): string | undefined {
  if (request > capacity) return `${quantityText(request)} are asked for and ${quantityText(capacity)} are there`;
  const condition = conditionOf(claim, "Resizing", "FileSystemResizePending");
  return condition && `its condition ${condition.type} says so`;
}

/**
 * Whether the numbers are from before the last resize: the file system has not changed since then. What says so is
 * written down in the claim, or was seen.
 */
export function isStale({ claim, usage, recollection }: Snapshot): boolean {
  const key = annotationKeys.preCapacityBytes;
  const text = annotation(claim, key);
  if (text !== undefined && !/^-?\d+$/.test(text)) {
    throw new AnnotationError(key, { text, from: "claim" }, "not a whole number of bytes");
  }
  if (usage === undefined) return false;
  return (
    usage.capacity === recollection?.staleCapacity || (text !== undefined && BigInt(text) === BigInt(usage.capacity))
  );
}

/** When the last resize was asked for, as far as it is written down. */
export function resizedAt(claim: PersistentVolumeClaim): number | undefined {
  const time = Date.parse(annotation(claim, annotationKeys.resizedAt) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** Whether it is time to try again a resize that has not ended. */
export function isOverdue({ claim, recollection }: Snapshot, { retryAfter }: Patience, now: number): boolean {
  return now - (resizedAt(claim) ?? recollection?.waitingSince ?? now) >= retryAfter;
}

/** What is wrong with a resize that has not ended, if anything is. */
export function problemOf(snapshot: Snapshot, { resizeTimeout }: Patience, now: number): Problem | undefined {
  const { claim, recollection } = snapshot;
  const failure = conditionOf(claim, "ControllerResizeError", "NodeResizeError");
  const infeasible = claim.status?.allocatedResourceStatuses?.["storage"]?.endsWith("Infeasible");
  if (failure || infeasible) {
    const message = failure?.message || "a volume of that size is not possible";
    const problem = `the volume could not be resized to ${quantityText(requestOf(claim))}: ${message}`;
    return { name: "ResizeFailed", message: problem };
  }
  const since = Math.min(recollection?.waitingSince ?? now, resizedAt(claim) ?? now);
  if (now - since < resizeTimeout) return undefined;
  const pending = conditionOf(claim, "FileSystemResizePending")?.message;
  const message = `a resize has not ended for ${formatDuration(roundToMinute(now - since))}${pending ? `: ${pending}` : ""}`;
  return { name: "ResizeStuck", message };
}

function conditionOf(claim: PersistentVolumeClaim, ...types: string[]) {
  return claim.status?.conditions?.find(({ type, status }) => types.includes(type) && status === "True");
}

function roundToMinute(milliseconds: number): number {
  return Math.floor(milliseconds / 60_000) * 60_000;
}
