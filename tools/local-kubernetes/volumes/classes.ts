import { StorageClasses, type Client, type StorageClass } from "@moco-ts/kube";
import { annotations, provisioner } from "./names.ts";

/** `online`: at once, under the running pod. `offline`: with the next pod. */
export type Expansion = "online" | "offline";

export const storageClasses: StorageClass[] = [
  storageClass("local-xfs", "online", true, { [annotations.defaultClass]: "true" }),
  storageClass("local-xfs-offline", "offline", true),
  storageClass("local-xfs-fixed", "online", false),
];

function storageClass(
  name: string,
  expansion: Expansion,
  allowVolumeExpansion: boolean,
  classAnnotations?: Record<string, string>,
): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name, ...(classAnnotations && { annotations: classAnnotations }) },
    provisioner,
    parameters: { expansion },
    allowVolumeExpansion,
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
  };
}

export async function applyStorageClasses(client: Client, signal: AbortSignal): Promise<void> {
  for (const each of storageClasses) {
    await client.apply(StorageClasses, each, { fieldManager: provisioner, force: true, signal });
  }
}
