import { initContainerNames, type ContainerPart } from "@moco-ts/api";
import { CodedError } from "@moco-ts/base";
import type { StatefulSetInput } from "../input.ts";
import { mounts } from "../mounts.ts";
import { programs } from "../programs.ts";
import type { PodRules } from "../rules.ts";
import { added, fixedResources } from "./added.ts";
import { podNameVariable } from "./environment.ts";
import { givenMysqld } from "./mysqld.ts";

/** Brings the operator's programs to where the user's mysqld image can run them. */
export function copyContainer(input: StatefulSetInput, rules: PodRules): ContainerPart {
  return added(
    {
      name: initContainerNames.copyMocoInit,
      image: rules.agentImage(input.images),
      command: [...rules.copy],
      volumeMounts: [mounts.shared],
      resources: initResources(rules),
    },
    input,
  );
}

/** Prepares the data directory, with the mysqld that will use it. */
export function initContainer(input: StatefulSetInput, rules: PodRules): ContainerPart {
  const lowerCaseTableNames = input.userOptions["lower_case_table_names"];
  const { image } = givenMysqld(input.cluster);
  return added(
    {
      name: initContainerNames.mocoInit,
      ...(image !== undefined && { image }),
      command: initCommand(input),
      ...(lowerCaseTableNames !== undefined && { args: [`--lower-case-table-names=${lowerCaseTableNames}`] }),
      env: [podNameVariable],
      volumeMounts: [mounts.tmp, mounts.data, mounts.instanceConfiguration, mounts.shared],
      resources: initResources(rules),
    },
    input,
  );
}

function initCommand({ cluster }: StatefulSetInput): string[] {
  const { initializeTimezoneData = false, serverIDBase, agentUseLocalhost = false } = cluster.spec;
  if (serverIDBase === undefined) {
    throw new CodedError("SERVER_ID_BASE_MISSING", "serverIDBase must be a positive integer");
  }
  return [
    `${mounts.shared.mountPath}/${programs.init}`,
    `--data-dir=${mounts.data.mountPath}`,
    `--conf-dir=${mounts.instanceConfiguration.mountPath}`,
    `--init-timezones=${initializeTimezoneData}`,
    String(serverIDBase),
    ...(agentUseLocalhost ? ["--mysqld-localhost=true"] : []),
  ];
}

function initResources(rules: PodRules) {
  return fixedResources(rules, "100m", "512Mi");
}
