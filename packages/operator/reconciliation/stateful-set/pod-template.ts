import { clusterLabels, type AnyPartOf } from "@moco-ts/api";
import type { PodTemplateSpec } from "@moco-ts/kube";
import { spreadOverNodes } from "../affinity.ts";
import { namesOfCluster } from "../metadata.ts";
import { podSecurity } from "../security.ts";
import { agentContainer } from "./containers/agent.ts";
import { exporterContainer } from "./containers/exporter.ts";
import { copyContainer, initContainer } from "./containers/init.ts";
import { mysqldContainer } from "./containers/mysqld.ts";
import { slowLogContainer } from "./containers/slow-log.ts";
import { userContainers, userInitContainers } from "./containers/user.ts";
import type { StatefulSetInput } from "./input.ts";
import { podRules } from "./rules.ts";
import { operatorVolumes } from "./volumes.ts";

/** Time for a shutdown of mysqld, which writes a large buffer pool to disk. */
const terminationGracePeriodSeconds = 300;

/** The user's Pod, with what the operator adds to it. */
export function podTemplate(input: StatefulSetInput): AnyPartOf<PodTemplateSpec> {
  const { cluster } = input;
  const rules = podRules[input.version];
  const { metadata = {}, spec } = cluster.spec.podTemplate;
  const labels = clusterLabels(cluster.metadata.name);
  return {
    metadata: {
      labels: { ...metadata.labels, ...labels },
      ...(metadata.annotations && { annotations: metadata.annotations }),
    },
    spec: {
      terminationGracePeriodSeconds,
      affinity: spreadOverNodes(labels),
      ...spec,
      serviceAccountName: namesOfCluster(cluster).serviceAccount,
      securityContext: podSecurity(spec.securityContext, input),
      initContainers: [copyContainer(input, rules), initContainer(input, rules), ...userInitContainers(cluster, input)],
      containers: [
        mysqldContainer(input, rules),
        agentContainer(input, rules),
        ...(input.configMaps.fluentBit !== undefined ? [slowLogContainer(input, rules)] : []),
        ...(cluster.spec.collectors?.length ? [exporterContainer(input, rules)] : []),
        ...userContainers(cluster, input),
      ],
      volumes: [...(spec.volumes ?? []), ...operatorVolumes(input)],
    },
  };
}
