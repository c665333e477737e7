import { containerNames, mysqlUsers, optionsFileName, ports, type ContainerPart } from "@moco-ts/api";
import type { StatefulSetInput } from "../input.ts";
import { mounts } from "../mounts.ts";
import type { PodRules } from "../rules.ts";
import { added, fixedResources } from "./added.ts";
import { containerPorts } from "./ports.ts";
import { keptSidecar } from "./sidecar.ts";

/** Serves mysqld's metrics. */
export function exporterContainer(input: StatefulSetInput, rules: PodRules): ContainerPart {
  const { collectors = [] } = input.cluster.spec;
  return added(
    {
      name: containerNames.exporter,
      image: keptSidecar(input, containerNames.exporter)?.image ?? input.images.exporter,
      args: [
        `--config.my-cnf=${mounts.credentials.mountPath}/${optionsFileName(mysqlUsers.exporter)}`,
        ...collectors.map((collector) => `--collect.${collector}`),
      ],
      ports: containerPorts(ports.exporterMetrics),
      volumeMounts: [mounts.run, mounts.credentials],
      resources: fixedResources(rules, "200m", "100Mi"),
    },
    input,
  );
}
