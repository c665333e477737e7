/** stateful-set: the instances. It is changed only if a restart of mysqld is meant. */
import { annotationKeys, clusterLabels, isAnnotated } from "@moco-ts/api";
import type { Configuration, StatefulSet } from "@moco-ts/kube";
import { namesOfCluster, ownedMetadata } from "../metadata.ts";
import { withoutBlankFields } from "../without-blanks.ts";
import { claimTemplates } from "./claims.ts";
import type { StatefulSetInput } from "./input.ts";
import { podTemplate } from "./pod-template.ts";

/** The partition is never part of it: that belongs to the rollout. */
export function buildStatefulSet(given: StatefulSetInput): Configuration<StatefulSet> {
  const cluster = withoutBlankFields(given.cluster);
  const input = { ...given, cluster };
  const names = namesOfCluster(cluster);
  const forced = isAnnotated(cluster, annotationKeys.forceRollingUpdate);
  return {
    metadata: {
      ...ownedMetadata(cluster, names.statefulSet),
      ...(forced && { annotations: { [annotationKeys.forceRollingUpdate]: "true" } }),
    },
    spec: {
      replicas: cluster.spec.offline ? 0 : cluster.spec.replicas,
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "RollingUpdate" },
      serviceName: names.headlessService,
      selector: { matchLabels: clusterLabels(cluster.metadata.name) },
      template: podTemplate(input),
      volumeClaimTemplates: claimTemplates(input),
    },
  };
}
