import type { PersistentVolume, PersistentVolumeClaim } from "@moco-ts/kube";
import type { Expansion } from "./classes.ts";
import { annotations, diskFinalizer, expansionAnnotation, provisioner, volumeName } from "./names.ts";

export interface VolumeSettings {
  node: string;
  capacity: string;
  expansion: Expansion;
  reclaimPolicy: string;
}

/** A volume of type `local`: the kubelet reports what is used of it, and the scheduler knows where it is. */
export function buildVolume(claim: PersistentVolumeClaim, settings: VolumeSettings, path: string): PersistentVolume {
  const { namespace, name, uid, resourceVersion } = claim.metadata!;
  const { accessModes, storageClassName } = claim.spec!;
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: volumeName(uid!),
      annotations: { [annotations.provisionedBy]: provisioner, [expansionAnnotation]: settings.expansion },
      finalizers: [diskFinalizer],
    },
    spec: {
      accessModes: accessModes ?? ["ReadWriteOnce"],
      capacity: { storage: settings.capacity },
      claimRef: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        namespace: namespace!,
        name: name!,
        uid: uid!,
        resourceVersion: resourceVersion!,
      },
      local: { path },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [settings.node] }] },
          ],
        },
      },
      persistentVolumeReclaimPolicy: settings.reclaimPolicy,
      storageClassName: storageClassName!,
      volumeMode: "Filesystem",
    },
  };
}
