/** What StorageClasses, claims and volumes call us by. */
export const provisioner = "local-kubernetes/xfs";

/** On a volume: an XFS disk must be removed before the object may go. */
export const diskFinalizer = "local-kubernetes/disk";

/**
 * On a claim, for tests: its expansion fails. `once`: the next attempt; `always`: every attempt until the annotation goes;
 * `infeasible`: for good, so it is not tried again before the annotation or the request changes.
 */
export const failExpansionAnnotation = "local-kubernetes/fail-expansion";

/** On a volume: when an expansion takes effect. Copied from its class, which may be gone by then. */
export const expansionAnnotation = "local-kubernetes/expansion";

/** On a volume whose expansion waits for a restart: UIDs of the pods that must go first. */
export const usedByAnnotation = "local-kubernetes/used-by";

export const annotations = {
  provisionedBy: "pv.kubernetes.io/provisioned-by",
  storageProvisioner: "volume.kubernetes.io/storage-provisioner",
  selectedNode: "volume.kubernetes.io/selected-node",
  defaultClass: "storageclass.kubernetes.io/is-default-class",
};

/** The volume of a claim, as external provisioners name it. */
export function volumeName(claimUid: string): string {
  return `pvc-${claimUid}`;
}
