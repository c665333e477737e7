import { claimName, ordinalOf, type MySQLCluster } from "@moco-ts/api";
import { compareQuantities } from "@moco-ts/base";
import type { PersistentVolumeClaim } from "@moco-ts/kube";
import type { VolumeView } from "../model.ts";

/** The claims that there are and those that there should be, by instance. */
export function volumesOf(cluster: MySQLCluster, claims: readonly PersistentVolumeClaim[]): VolumeView[] {
  const { replicas, offline, volumeClaimTemplates } = cluster.spec;
  const byName = new Map(claims.map((claim) => [claim.metadata?.name ?? "", claim]));
  const wanted = offline
    ? []
    : volumeClaimTemplates.flatMap(({ metadata }) =>
        Array.from({ length: replicas }, (_, index) => claimName(metadata.name ?? "", cluster.metadata.name, index)),
      );
  const names = new Set([...wanted, ...byName.keys()]);
  return [...names]
    .map((name) => volumeOf(name, byName.get(name)))
    .sort((one, other) => one.index - other.index || one.claim.localeCompare(other.claim));
}

function volumeOf(name: string, claim: PersistentVolumeClaim | undefined): VolumeView {
  const index = ordinalOf(name) ?? 0;
  if (!claim) return { claim: name, index, phase: "Missing", growing: false, conditions: [] };
  const { spec, status } = claim;
  const request = spec?.resources?.requests?.["storage"];
  const capacity = status?.capacity?.["storage"];
  return {
    claim: name,
    index,
    phase: claim.metadata?.deletionTimestamp ? "Terminating" : (status?.phase ?? "Pending"),
    ...(request !== undefined && { request }),
    ...(capacity !== undefined && { capacity }),
    ...(spec?.storageClassName && { storageClass: spec.storageClassName }),
    growing: request !== undefined && capacity !== undefined && compareQuantities(request, capacity) > 0,
    conditions: (status?.conditions ?? [])
      .filter((condition) => condition.status === "True")
      .map(({ type, message = "" }) => ({ type, message })),
  };
}
