import { PersistentVolumeClaims, type Client, type PersistentVolumeClaim } from "@moco-ts/kube";
import { annotationKeys } from "../annotations.ts";
import { requestOf } from "../decision/snapshot.ts";
import { quantityText } from "../decision/text.ts";
import type { VolumeUsage } from "../usage/usage.ts";

export interface ResizeOrder {
  readonly claim: PersistentVolumeClaim;
  readonly usage: VolumeUsage | undefined;
  /** Bytes. */
  readonly request: bigint;
}

/**
 * Asks for a size, and writes down when that was and how large the file system was. Only if the claim is still the one
 * that was decided on: a conflict means that somebody has changed it, and the next round decides anew.
 */
export async function resize(client: Client, order: ResizeOrder, now: number, signal: AbortSignal): Promise<void> {
  const { claim, usage, request } = order;
  const { namespace, name = "", uid, resourceVersion } = claim.metadata ?? {};
  const annotations = {
    ...(usage && { [annotationKeys.preCapacityBytes]: String(BigInt(usage.capacity)) }),
    [annotationKeys.resizedAt]: new Date(now).toISOString(),
  };
  const body = {
    metadata: { uid, resourceVersion, annotations },
    ...(request !== requestOf(claim) && { spec: { resources: { requests: { storage: quantityText(request) } } } }),
  };
  await client.patch(PersistentVolumeClaims, { namespace, name }, { type: "merge", body }, { signal });
}
