import { containerNames, ports, type ContainerPart, type MySQLCluster } from "@moco-ts/api";
import { CodedError } from "@moco-ts/base";
import { containerSecurity } from "../../security.ts";
import type { StatefulSetInput } from "../input.ts";
import { ownDirectories } from "../directories.ts";
import { mounts } from "../mounts.ts";
import { mysqldProbes } from "../probes.ts";
import type { PodRules } from "../rules.ts";
import { containerPorts } from "./ports.ts";

/** The user's container, with what the operator needs. */
export function mysqldContainer(input: StatefulSetInput, rules: PodRules): ContainerPart {
  const { cluster } = input;
  const given = givenMysqld(cluster);
  const own = ownDirectories(cluster);
  const command = rules.command(given.command, own);
  return {
    ...given,
    ...(command && { command }),
    args: rules.args(given.args ?? []),
    lifecycle: { preStop: { exec: { command: rules.preStop(own) } } },
    ports: [...(given.ports ?? []), ...containerPorts(ports.mysql, ports.mysqlX, ports.mysqlAdmin, ports.health)],
    ...mysqldProbes(given, cluster.spec.startupWaitSeconds, rules),
    volumeMounts: [
      ...(given.volumeMounts ?? []),
      mounts.tmp,
      mounts.run,
      mounts.logs,
      mounts.configuration,
      mounts.instanceConfiguration,
      mounts.credentials,
      mounts.data,
      ...rules.mounts(own),
    ],
    securityContext: containerSecurity(given.securityContext, input),
  };
}

/** The container mysqld as the user gave it. */
export function givenMysqld({ spec }: MySQLCluster): ContainerPart {
  const given = spec.podTemplate.spec.containers?.find(({ name }) => name === containerNames.mysqld);
  if (given === undefined) throw new CodedError("MYSQLD_MISSING", "required container mysqld is missing");
  return given;
}
