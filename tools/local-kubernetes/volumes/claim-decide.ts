import { compareQuantities, formatBytes, parseBytes } from "@moco-ts/base";
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "@moco-ts/kube";
import type { Expansion } from "./classes.ts";
import { stageOf, stages } from "./claim-status.ts";
import { smallestDisk } from "./disk.ts";
import { annotations, expansionAnnotation, failExpansionAnnotation, provisioner, usedByAnnotation } from "./names.ts";
import { isOurs } from "./volume-decide.ts";

/** Everything that the next step for a claim depends on. */
export interface ClaimSnapshot {
  claim: PersistentVolumeClaim;
  /** The claim's class, if there is one. Needed only while the claim has no volume. */
  storageClass: StorageClass | undefined;
  /** The claim's volume, if there is one: bound to it, or made for it. */
  volume: PersistentVolume | undefined;
  /** Pods that use the claim, were given a node, and have not ended. */
  pods: readonly Pod[];
}

export type ExpansionFailure = "once" | "always" | "infeasible";

export type ClaimPlan =
  | { do: "nothing"; reason: string }
  /** Make a disk and its volume. */
  | { do: "provision"; node: string; capacity: string; expansion: Expansion; reclaimPolicy: string; reason: string }
  /** Say that the claim asks for what we don't have. */
  | { do: "refuse"; reason: string }
  /** Record what is going to be done, before it is done. */
  | { do: "start expansion"; capacity: string; reason: string }
  | { do: "fail expansion"; failure: ExpansionFailure; reason: string }
  /** Record that the expansion waits for the pods that use the volume to be replaced. */
  | { do: "await restart"; usedBy: string[]; reason: string }
  /** Grow disk and file system, and record that it is done. */
  | { do: "expand"; capacity: string; reason: string };

/** The next step for a claim. Steps are repeated until there is nothing to do; each leaves its trace in the objects. */
export function decideClaim(snapshot: ClaimSnapshot): ClaimPlan {
  const { claim, volume } = snapshot;
  if (claim.metadata?.deletionTimestamp !== undefined) {
    return nothing("the claim is being deleted");
  }
  if (!claim.spec?.volumeName) {
    return decideProvisioning(snapshot);
  }
  if (volume === undefined || !isOurs(volume)) {
    return nothing("the volume is not ours");
  }
  if (claim.status?.phase !== "Bound" || volume.spec?.claimRef?.uid !== claim.metadata?.uid) {
    return nothing("claim and volume are not bound to each other yet");
  }
  return decideExpansion(snapshot, volume);
}

function decideProvisioning({ claim, storageClass, volume }: ClaimSnapshot): ClaimPlan {
  if (volume !== undefined) {
    return nothing("the volume is there and waits to be bound");
  }
  const claimAnnotations = claim.metadata?.annotations ?? {};
  if (claimAnnotations[annotations.storageProvisioner] !== provisioner || storageClass?.provisioner !== provisioner) {
    return nothing("the claim does not ask for us");
  }
  const node = claimAnnotations[annotations.selectedNode];
  if (!node) {
    return nothing("no pod that uses the claim has been given a node yet");
  }
  if (claim.spec?.volumeMode === "Block") {
    return { do: "refuse", reason: "only volumes with a file system are supported" };
  }
  if (claim.spec?.dataSource ?? claim.spec?.dataSourceRef) {
    return { do: "refuse", reason: "only empty volumes are supported, and the claim names a data source" };
  }
  const modes = claim.spec?.accessModes?.filter((mode) => !["ReadWriteOnce", "ReadWriteOncePod"].includes(mode));
  if (modes?.length) {
    return { do: "refuse", reason: `a disk of one node can't have the access mode ${modes.join(", ")}` };
  }
  return {
    do: "provision",
    node,
    capacity: atLeastSmallest(claim.spec?.resources?.requests?.["storage"] ?? "0"),
    expansion: storageClass.parameters?.["expansion"] === "offline" ? "offline" : "online",
    reclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
    reason: `node ${node} was chosen`,
  };
}

function decideExpansion({ claim, pods }: ClaimSnapshot, volume: PersistentVolume): ClaimPlan {
  const request = claim.spec?.resources?.requests?.["storage"] ?? "0";
  const capacity = claim.status?.capacity?.["storage"] ?? "0";
  if (compareQuantities(request, capacity) <= 0) {
    return nothing(`the capacity of ${capacity} is enough`);
  }
  const stage = stageOf(claim);
  const allocated = claim.status?.allocatedResources?.["storage"] ?? "0";
  const failure = claim.metadata?.annotations?.[failExpansionAnnotation] as ExpansionFailure | undefined;
  const known = stage !== undefined && compareQuantities(allocated, request) === 0;
  if (known && stage === stages.infeasible && failure === "infeasible") {
    return nothing(`an expansion to ${request} is not possible`);
  }
  if (!known || stage === stages.infeasible) {
    return { do: "start expansion", capacity: request, reason: `${request} is asked for, ${capacity} is there` };
  }
  const users = pods.map((pod) => pod.metadata!.uid!);
  if (stage !== stages.inProgress && !isRestarted(volume, users)) {
    return nothing("the expansion waits for a pod to be (re-)started");
  }
  if (stage === stages.inProgress && failure !== undefined) {
    return { do: "fail expansion", failure, reason: `the annotation ${failExpansionAnnotation} says ${failure}` };
  }
  if (stage === stages.inProgress && volume.metadata?.annotations?.[expansionAnnotation] === "offline") {
    return { do: "await restart", usedBy: users, reason: "the class expands offline" };
  }
  return { do: "expand", capacity: request, reason: `${request} is asked for, ${capacity} is there` };
}

/** Somebody uses the volume, and nobody who did when its expansion had to wait. */
function isRestarted(volume: PersistentVolume, users: string[]): boolean {
  const before = volume.metadata?.annotations?.[usedByAnnotation]?.split(" ") ?? [];
  return users.length > 0 && !users.some((uid) => before.includes(uid));
}

function atLeastSmallest(request: string): string {
  return parseBytes(request) < smallestDisk ? formatBytes(smallestDisk) : request;
}

function nothing(reason: string): ClaimPlan {
  return { do: "nothing", reason };
}
