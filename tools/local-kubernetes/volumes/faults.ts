/** Faults of volumes. */
import { join } from "node:path";
import { parseBytes } from "@moco-ts/base";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "@moco-ts/kube";
import { clusterDirectory, type ClusterDefinition } from "../cluster/definition.ts";
import { controlPlaneFiles } from "../control-plane/files.ts";
import { getObject } from "../system/api.ts";
import type { Disk } from "./disk.ts";
import { Disks } from "./disks.ts";
import { fill, unfill, type Filling } from "./fill.ts";

/** A volume, by its claim or by a pod that uses it. */
export type VolumeTarget =
  | { claim: { namespace: string; name: string } }
  /** `volume`: which one, by its name in the pod. Default: the first that has a claim. */
  | { pod: { namespace: string; name: string }; volume?: string };

/** Uses up space or inodes of a volume. Calls add up. */
export async function fillVolume(definition: ClusterDefinition, target: VolumeTarget, filling: Filling): Promise<void> {
  const { disk } = await findVolume(definition, target);
  await fill(disk.mountPoint, filling);
}

/** Takes away again what {@link fillVolume} put there. */
export async function unfillVolume(definition: ClusterDefinition, target: VolumeTarget): Promise<void> {
  const { disk } = await findVolume(definition, target);
  await unfill(disk.mountPoint);
}

/**
 * A volume's disk breaks, and nothing on it can be saved. A pod that uses it gets I/O errors; one that is started
 * afterwards can't mount it. Delete the claim and the pod to get a new volume, or put a new disk in.
 */
export async function loseDisk(definition: ClusterDefinition, target: VolumeTarget): Promise<void> {
  const { disk } = await findVolume(definition, target);
  await disk.break();
}

/** Puts a new, empty disk into the place of a lost one. Pods see it once they are started anew. */
export async function replaceDisk(definition: ClusterDefinition, target: VolumeTarget): Promise<void> {
  const { disk, volume } = await findVolume(definition, target);
  await disk.create(parseBytes(volume.spec?.capacity?.["storage"] ?? "0"));
  await disk.mount();
}

/** `pvc/NAMESPACE/NAME` or `pod/NAMESPACE/NAME`. */
export function parseVolumeTarget(text: string): VolumeTarget {
  const [kind, namespace, name, ...rest] = text.split("/");
  if (!namespace || !name || rest.length > 0 || (kind !== "pvc" && kind !== "pod")) {
    throw new Error(`"${text}" names no volume: use pvc/NAMESPACE/NAME or pod/NAMESPACE/NAME`);
  }
  return kind === "pvc" ? { claim: { namespace, name } } : { pod: { namespace, name } };
}

async function findVolume(
  definition: ClusterDefinition,
  target: VolumeTarget,
): Promise<{ volume: PersistentVolume; disk: Disk }> {
  const { kubeconfig } = controlPlaneFiles(clusterDirectory(definition.name));
  const get = async <T>(path: string): Promise<T> => {
    const object = await getObject<T>(kubeconfig, `/api/v1/${path}`);
    if (object === undefined) {
      throw new Error(`there is no ${path}`);
    }
    return object;
  };
  const { namespace, name } = "claim" in target ? target.claim : await claimOfPod(get, target);
  const path = `namespaces/${namespace}/persistentvolumeclaims/${name}`;
  const { spec } = await get<PersistentVolumeClaim>(path);
  if (!spec?.volumeName) {
    throw new Error(`${path} has no volume yet`);
  }
  const volume = await get<PersistentVolume>(`persistentvolumes/${spec.volumeName}`);
  return { volume, disk: new Disks(join(clusterDirectory(definition.name), "volumes")).diskOf(volume) };
}

async function claimOfPod(
  get: <T>(path: string) => Promise<T>,
  { pod: { namespace, name }, volume }: Extract<VolumeTarget, { pod: object }>,
): Promise<{ namespace: string; name: string }> {
  const pod = await get<Pod>(`namespaces/${namespace}/pods/${name}`);
  const found = pod.spec?.volumes?.find(
    (each) => each.persistentVolumeClaim !== undefined && (volume === undefined || each.name === volume),
  );
  if (found?.persistentVolumeClaim === undefined) {
    throw new Error(`the pod ${namespace}/${name} has no volume ${volume ?? "with a claim"}`);
  }
  return { namespace, name: found.persistentVolumeClaim.claimName };
}
