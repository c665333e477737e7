import type { MySQLCluster } from "@moco-ts/api";
import { buildStatefulSet } from "../stateful-set/build.ts";
import type { StatefulSetInput } from "../stateful-set/input.ts";
import type { ReconcilerVersion } from "../version.ts";
import { testCluster } from "./clusters.ts";
import { mocoCluster, mocoConfigMaps, mocoImages, mocoUserOptions } from "./moco.ts";

export const testImages = { agent: "agent:2", agentV1: "agent:1", fluentBit: "fluent-bit:1", exporter: "exporter:1" };

/** What MOCO made its StatefulSet from. */
export function mocoInput(): StatefulSetInput {
  return {
    cluster: mocoCluster(),
    version: 1,
    images: { ...mocoImages, agentV1: mocoImages.agent },
    configMaps: mocoConfigMaps,
    userOptions: mocoUserOptions,
  };
}

export function testInput(
  version: ReconcilerVersion,
  spec: Partial<MySQLCluster["spec"]> = {},
  rest: Partial<StatefulSetInput> = {},
): StatefulSetInput {
  const fluentBit = spec.disableSlowQueryLogContainer ? undefined : "moco-slow-log-agent-config-test.2";
  return {
    cluster: testCluster(spec),
    version,
    images: testImages,
    configMaps: { myCnf: "moco-test.1", fluentBit },
    userOptions: {},
    ...rest,
  };
}

/** The Pods of a cluster with this spec. */
export function podSpec(...given: Parameters<typeof testInput>) {
  return buildStatefulSet(testInput(...given)).spec!.template!.spec!;
}

/** One of their containers. */
export function containerOf(name: string, ...given: Parameters<typeof testInput>) {
  const { containers, initContainers } = podSpec(...given);
  const found = [...containers!, ...initContainers!].find((each) => each.name === name);
  if (found === undefined) throw new Error(`no container ${name}`);
  return found;
}
