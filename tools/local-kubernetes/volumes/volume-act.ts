import { describeError } from "@moco-ts/base";
import { isNotFound, PersistentVolumes, type PersistentVolume } from "@moco-ts/kube";
import { diskFinalizer } from "./names.ts";
import { StepError, warning, type Tools } from "./step.ts";
import type { VolumePlan } from "./volume-decide.ts";

/** Takes one step. Every step can be repeated. */
export async function actOnVolume(
  tools: Tools,
  volume: PersistentVolume,
  plan: VolumePlan,
  signal: AbortSignal,
): Promise<void> {
  switch (plan.do) {
    case "nothing":
      return;
    case "mount":
      return tools.disks.diskOf(volume).mount(signal);
    case "release":
      return removeFinalizer(tools, volume, signal);
    case "delete":
      return remove(tools, volume, signal);
  }
}

async function remove(tools: Tools, volume: PersistentVolume, signal: AbortSignal): Promise<void> {
  const { name, uid } = volume.metadata!;
  try {
    await tools.disks.diskOf(volume).remove(signal);
  } catch (cause) {
    throw new StepError(warning(volume, "VolumeFailedDelete", describeError(cause)), { cause });
  }
  try {
    const preconditions = { uid: uid! };
    const kept = await tools.client.delete(PersistentVolumes, { name: name! }, { preconditions, signal });
    if (kept !== undefined) {
      await removeFinalizer(tools, kept, signal);
    }
  } catch (error) {
    if (!isNotFound(error)) {
      throw error;
    }
  }
}

async function removeFinalizer(tools: Tools, volume: PersistentVolume, signal: AbortSignal): Promise<void> {
  const { name, uid, resourceVersion, finalizers = [] } = volume.metadata!;
  const kept = finalizers.filter((finalizer) => finalizer !== diskFinalizer);
  const body = { metadata: { uid, resourceVersion, finalizers: kept } };
  await tools.client.patch(PersistentVolumes, { name: name! }, { type: "merge", body }, { signal });
}
