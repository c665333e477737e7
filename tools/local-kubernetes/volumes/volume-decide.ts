import type { PersistentVolume } from "@moco-ts/kube";
import { annotations, diskFinalizer, provisioner } from "./names.ts";

export interface VolumeSnapshot {
  volume: PersistentVolume;
  disk: { exists: boolean; mounted: boolean };
}

export type VolumePlan =
  | { do: "nothing"; reason: string }
  /** Mount the disk again, for example after the machine was restarted. */
  | { do: "mount"; reason: string }
  /** Remove the disk, and then the object. */
  | { do: "delete"; reason: string }
  /** Let the object go and keep the disk. */
  | { do: "release"; reason: string };

export function isOurs(volume: PersistentVolume): boolean {
  return volume.metadata?.annotations?.[annotations.provisionedBy] === provisioner;
}

/** The next step for a volume of ours. */
export function decideVolume({ volume, disk }: VolumeSnapshot): VolumePlan {
  const deleting = volume.metadata?.deletionTimestamp !== undefined;
  const phase = volume.status?.phase;
  const policy = volume.spec?.persistentVolumeReclaimPolicy;
  if (deleting && !volume.metadata?.finalizers?.includes(diskFinalizer)) {
    return { do: "nothing", reason: "others still need the object" };
  }
  // A bound volume that somebody deletes is protected until its claim is gone, and so is its disk.
  if (deleting && phase !== "Bound" && policy !== "Delete") {
    return { do: "release", reason: `the reclaim policy is ${policy}` };
  }
  if (policy === "Delete" && (phase === "Released" || phase === "Failed" || (deleting && phase !== "Bound"))) {
    return { do: "delete", reason: deleting ? "the volume was deleted" : "the claim is gone" };
  }
  if (disk.exists && !disk.mounted) {
    return { do: "mount", reason: "the disk is not mounted" };
  }
  return { do: "nothing", reason: disk.exists ? "the disk is mounted" : "the disk is lost" };
}
