import type { MySQLCluster } from "@moco-ts/api";
import {
  controllerOf,
  sameValue,
  type Configuration,
  type JsonPatchOperation,
  type ManagedFieldsEntry,
  type PodTemplateSpec,
  type StatefulSet,
} from "@moco-ts/kube";

/** Who makes StatefulSets anew. As long as it owns a field of one, that one is not complete. */
export const recreationManager = "moco-recreation";

/** A StatefulSet that takes the place of another one. */
export interface Recreation {
  /** The UID of the one that goes. */
  readonly replaces: string;
  /** As it will be in the end, and whose fields are whose: the live one with nothing but other claim templates. */
  readonly statefulSet: StatefulSet;
  /**
   * The template to begin with, in the middle of a rolling update: of the Pods that are still to be updated. A new
   * StatefulSet takes its first template for the one that they have, and would give its newest one to any that has to
   * be made again.
   */
  readonly firstTemplate?: PodTemplateSpec;
}

/** Claim templates can't be changed in place. What the API server fills in is no difference. */
export function mustBeRecreated(
  cluster: MySQLCluster,
  live: StatefulSet | undefined,
  wanted: Configuration<StatefulSet>,
): live is StatefulSet {
  if (live === undefined || live.metadata?.deletionTimestamp !== undefined) return false;
  if (controllerOf(live)?.uid !== cluster.metadata.uid) return false;
  const present = live.spec?.volumeClaimTemplates ?? [];
  return !sameValue(wanted.spec?.volumeClaimTemplates ?? [], present, ["f:spec", "f:volumeClaimTemplates"]);
}

export function successorOf(live: StatefulSet, wanted: Configuration<StatefulSet>): StatefulSet {
  const { name, namespace, labels, annotations, finalizers, ownerReferences, managedFields } = live.metadata ?? {};
  const volumeClaimTemplates = (wanted.spec?.volumeClaimTemplates ?? []) as NonNullable<
    StatefulSet["spec"]
  >["volumeClaimTemplates"];
  const metadata = {
    name,
    namespace,
    labels,
    annotations,
    // Those of a deletion belong to that deletion.
    finalizers: finalizers?.filter((each) => each !== "orphan" && each !== "foregroundDeletion"),
    ownerReferences,
    // Of the status, nothing is kept.
    managedFields: managedFields?.filter(({ subresource }) => !subresource),
  };
  const { apiVersion = "apps/v1", kind = "StatefulSet" } = live;
  // As it travels, without what is undefined.
  return JSON.parse(
    JSON.stringify({ apiVersion, kind, metadata, spec: { ...live.spec, volumeClaimTemplates } }),
  ) as StatefulSet;
}

/** What is made first. With a template of its own, it must not replace any Pod that has the newer one already. */
export function firstForm({ statefulSet, firstTemplate }: Recreation): StatefulSet {
  const { managedFields: _, ...metadata } = statefulSet.metadata ?? {};
  const spec = statefulSet.spec!;
  if (firstTemplate === undefined) return { ...statefulSet, metadata };
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: spec.replicas ?? 1 } };
  return { ...statefulSet, metadata, spec: { ...spec, template: firstTemplate, updateStrategy } };
}

/** Changes {@link firstForm} into what is wanted in the end, but for the owners of fields. */
export function newestTemplate({ statefulSet }: Recreation): JsonPatchOperation[] {
  const { template, updateStrategy } = statefulSet.spec!;
  return [
    { op: "replace", path: "/spec/template", value: template },
    { op: "replace", path: "/spec/updateStrategy", value: updateStrategy },
  ];
}

export function isIncomplete({ metadata }: StatefulSet): boolean {
  return metadata?.managedFields?.some(({ manager }) => manager === recreationManager) ?? false;
}

/**
 * Whose fields are whose, as it was before: an object that is created belongs to its creator, who would keep fields for
 * ever that another manager wants no more. What managers did since the creation counts more than what was before.
 */
export function restoredOwnership({ statefulSet }: Recreation, live: StatefulSet): JsonPatchOperation[] {
  const current = (live.metadata?.managedFields ?? []).filter(({ manager }) => manager !== recreationManager);
  const idOf = ({ manager, operation, apiVersion, subresource = "" }: ManagedFieldsEntry): string =>
    JSON.stringify([manager, operation, apiVersion, subresource]);
  const known = new Set(current.map(idOf));
  const before = (statefulSet.metadata?.managedFields ?? []).filter((entry) => !known.has(idOf(entry)));
  return [{ op: "replace", path: "/metadata/managedFields", value: [...current, ...before] }];
}
