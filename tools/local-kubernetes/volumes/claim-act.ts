import { describeError, parseBytes } from "@moco-ts/base";
import {
  isAlreadyExists,
  PersistentVolumeClaims,
  PersistentVolumes,
  type ObjectEvent,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from "@moco-ts/kube";
import type { ClaimPlan, ClaimSnapshot } from "./claim-decide.ts";
import * as status from "./claim-status.ts";
import { failExpansionAnnotation, provisioner, usedByAnnotation, volumeName } from "./names.ts";
import { normal, StepError, warning, type Tools } from "./step.ts";
import { buildVolume } from "./volume-build.ts";

type PlanTo<Do extends ClaimPlan["do"]> = Extract<ClaimPlan, { do: Do }>;

/**
 * Takes one step and returns what users are told of it. Every step can be repeated; a change of a claim's status is
 * refused if the claim has changed since the step was decided.
 */
export async function actOnClaim(
  tools: Tools,
  { claim, volume }: Pick<ClaimSnapshot, "claim" | "volume">,
  plan: ClaimPlan,
  signal: AbortSignal,
): Promise<ObjectEvent[]> {
  switch (plan.do) {
    case "nothing":
      return [];
    case "provision":
      return provision(tools, claim, plan, signal);
    case "refuse":
      return [warning(claim, "ProvisioningFailed", failedProvisioning(claim, plan.reason))];
    case "start expansion":
      await patchStatus(tools, claim, status.expansionStarted(claim, plan.capacity, now(tools)), signal);
      return [normal(claim, "Resizing", `External resizer is resizing volume ${volume!.metadata!.name}`)];
    case "fail expansion":
      return failOnPurpose(tools, claim, volume!, plan, signal);
    case "await restart":
      return awaitRestart(tools, claim, volume!, plan, signal);
    case "expand":
      break;
  }
  return expand(tools, claim, volume!, plan, signal);
}

async function provision(
  tools: Tools,
  claim: PersistentVolumeClaim,
  plan: PlanTo<"provision">,
  signal: AbortSignal,
): Promise<ObjectEvent[]> {
  const { namespace, name, uid } = claim.metadata!;
  const disk = tools.disks.disk(plan.node, volumeName(uid!));
  try {
    await disk.create(parseBytes(plan.capacity), signal);
    await disk.mount(signal);
  } catch (cause) {
    const message = failedProvisioning(claim, describeError(cause));
    throw new StepError(warning(claim, "ProvisioningFailed", message), { cause });
  }
  try {
    await tools.client.create(PersistentVolumes, buildVolume(claim, plan, disk.mountPoint), { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) {
      throw error;
    }
  }
  return [
    normal(claim, "Provisioning", `External provisioner is provisioning volume for claim "${namespace}/${name}"`),
    normal(claim, "ProvisioningSucceeded", `Successfully provisioned volume ${volumeName(uid!)}`),
  ];
}

function failedProvisioning(claim: PersistentVolumeClaim, reason: string): string {
  return `failed to provision volume with StorageClass "${claim.spec?.storageClassName}": ${reason}`;
}

async function failOnPurpose(
  tools: Tools,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { failure, reason }: PlanTo<"fail expansion">,
  signal: AbortSignal,
): Promise<ObjectEvent[]> {
  const event = await recordFailure(tools, claim, volume, reason, failure === "infeasible", signal);
  if (failure === "infeasible") {
    return [event];
  }
  if (failure === "once") {
    const body = { metadata: { annotations: { [failExpansionAnnotation]: null } } };
    await tools.client.patch(PersistentVolumeClaims, keyOfClaim(claim), { type: "merge", body }, { signal });
  }
  throw new StepError(event);
}

/** Leaves the volume's own capacity as it is: a kubelet that sees it rise calls the expansion finished at once. */
async function awaitRestart(
  tools: Tools,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { usedBy }: PlanTo<"await restart">,
  signal: AbortSignal,
): Promise<ObjectEvent[]> {
  const body = { metadata: { annotations: { [usedByAnnotation]: usedBy.join(" ") } } };
  const key = { name: volume.metadata!.name! };
  await tools.client.patch(PersistentVolumes, key, { type: "merge", body }, { signal });
  await patchStatus(tools, claim, status.expansionPending(claim, now(tools)), signal);
  return [normal(claim, "FileSystemResizeRequired", "Require file system resize of volume on node")];
}

async function expand(
  tools: Tools,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  { capacity }: PlanTo<"expand">,
  signal: AbortSignal,
): Promise<ObjectEvent[]> {
  const name = volume.metadata!.name!;
  try {
    await tools.disks.diskOf(volume).grow(parseBytes(capacity), signal);
  } catch (cause) {
    throw new StepError(await recordFailure(tools, claim, volume, describeError(cause), false, signal), { cause });
  }
  // After the disk and before the claim: a kubelet that sees the capacity rise may call the expansion finished.
  const body = { spec: { capacity: { storage: capacity } } };
  await tools.client.patch(PersistentVolumes, { name }, { type: "merge", body }, { signal });
  await patchStatus(tools, claim, status.expansionFinished(claim, capacity), signal);
  if (status.stageOf(claim) === status.stages.inProgress) {
    return [normal(claim, "VolumeResizeSuccessful", "Resize volume succeeded")];
  }
  const message = `MountVolume.NodeExpandVolume succeeded for volume "${name}"`;
  return [normal(claim, "FileSystemResizeSuccessful", message)];
}

async function recordFailure(
  tools: Tools,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  reason: string,
  infeasible: boolean,
  signal: AbortSignal,
): Promise<ObjectEvent> {
  const message = `resize volume "${volume.metadata!.name}" by resizer "${provisioner}" failed: ${reason}`;
  // A write for every attempt would wake us up for the next one at once.
  if (infeasible || !status.hasFailed(claim, message)) {
    await patchStatus(tools, claim, status.expansionFailed(claim, message, infeasible, now(tools)), signal);
  }
  return warning(claim, "VolumeResizeFailed", message);
}

async function patchStatus(
  { client }: Tools,
  claim: PersistentVolumeClaim,
  change: status.StatusPatch,
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = claim.metadata!;
  const body = { metadata: { uid, resourceVersion }, status: change };
  const options = { subresource: "status", signal };
  await client.patch(PersistentVolumeClaims, keyOfClaim(claim), { type: "merge", body }, options);
}

function keyOfClaim({ metadata }: PersistentVolumeClaim) {
  return { namespace: metadata!.namespace, name: metadata!.name! };
}

/** Times of conditions have no fractions of seconds. */
function now({ clock }: Tools): string {
  return new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
}
