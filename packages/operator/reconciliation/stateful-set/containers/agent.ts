import { containerNames, ports, type ContainerPart, type MySQLCluster } from "@moco-ts/api";
import { namesOfCluster } from "../../metadata.ts";
import type { StatefulSetInput } from "../input.ts";
import { mounts } from "../mounts.ts";
import { answerLimits, mysqldProbes } from "../probes.ts";
import type { PodRules } from "../rules.ts";
import { added, fixedResources } from "./added.ts";
import { podNameVariable } from "./environment.ts";
import { givenMysqld } from "./mysqld.ts";
import { containerPorts } from "./ports.ts";

/** Prepares and watches mysqld, and clones for it. */
export function agentContainer(input: StatefulSetInput, rules: PodRules): ContainerPart {
  const { cluster } = input;
  const limits = answerLimits(mysqldProbes(givenMysqld(cluster), cluster.spec.startupWaitSeconds, rules));
  return added(
    {
      name: containerNames.agent,
      image: rules.agentImage(input.images),
      args: [...agentArguments(cluster), ...rules.agentFlags(limits)],
      env: [podNameVariable, { name: "CLUSTER_NAME", value: cluster.metadata.name }],
      envFrom: [{ secretRef: { name: namesOfCluster(cluster).usersSecret } }],
      ports: containerPorts(ports.agent, ports.agentMetrics),
      volumeMounts: [mounts.run, mounts.logs, mounts.certificates],
      resources: fixedResources(rules, "100m", "100Mi"),
    },
    input,
  );
}

function agentArguments({ spec }: MySQLCluster): string[] {
  const { maxDelaySeconds, logRotationSchedule = "", logRotationSize = 0, agentUseLocalhost = false } = spec;
  return [
    "--max-delay",
    `${maxDelaySeconds}s`,
    ...(logRotationSchedule !== "" ? ["--log-rotation-schedule", logRotationSchedule] : []),
    ...(logRotationSize > 0 ? ["--log-rotation-size", String(logRotationSize)] : []),
    ...(agentUseLocalhost ? ["--mysqld-localhost", "true"] : []),
  ];
}
