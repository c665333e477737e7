import { MySQLClusters, type AnyPartOf, type VolumeClaimTemplate } from "@moco-ts/api";
import { controllerReference, type OwnerReference, type PersistentVolumeClaim } from "@moco-ts/kube";
import type { StatefulSetInput } from "./input.ts";

/** Templates of the claims. The cluster owns the claims themselves, so that they are deleted with it. */
export function claimTemplates(input: StatefulSetInput): AnyPartOf<PersistentVolumeClaim>[] {
  return input.cluster.spec.volumeClaimTemplates.map((given) => claimTemplate(given, input));
}

function claimTemplate(
  { metadata, spec }: VolumeClaimTemplate,
  { cluster, live }: StatefulSetInput,
): AnyPartOf<PersistentVolumeClaim> {
  const present = live?.spec?.volumeClaimTemplates?.find((each) => each.metadata?.name === metadata.name);
  const owner = controllerReference(MySQLClusters, cluster);
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadata, ownerReferences: [{ ...owner, apiVersion: ownerVersion(owner, present) }] },
    spec: { accessModes: ["ReadWriteOnce"], volumeMode: "Filesystem", ...spec },
    status: { phase: "Pending" },
  };
}

/** Templates of very old clusters name their owner by an earlier version of the API, and can't be changed in place. */
function ownerVersion(owner: OwnerReference, present: PersistentVolumeClaim | undefined): string {
  return present?.metadata?.ownerReferences?.find(({ uid }) => uid === owner.uid)?.apiVersion ?? owner.apiVersion;
}
