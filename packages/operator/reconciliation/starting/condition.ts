import { conditionTypes, type ConditionContent, type MySQLCluster } from "@moco-ts/api";
import type { EventContent } from "@moco-ts/kube";
import type { StartProblem } from "./problems.ts";

const reason = "InstanceCannotStart";

/** Whether all instances start; if not, which, why, and what to do. */
export function startCondition(cluster: MySQLCluster, problems: readonly StartProblem[]): ConditionContent {
  const type = conditionTypes.instancesStartable;
  const observedGeneration = cluster.metadata.generation ?? 0;
  if (problems.length === 0) {
    const message = "no instance fails to start";
    return { type, status: "True", reason: "InstancesStartable", message, observedGeneration };
  }
  const message = [...Map.groupBy(problems, (problem) => describe(cluster, problem))]
    .map(([text, of]) => `${of.map(({ pod }) => pod).join(", ")}: ${text}`)
    .join(". ");
  return { type, status: "False", reason, message, observedGeneration };
}

/** What was not said before, each problem once, by the first instance that has it. */
export function startEvents(cluster: MySQLCluster, problems: readonly StartProblem[]): EventContent[] {
  const before = cluster.status?.conditions?.find(({ type }) => type === conditionTypes.instancesStartable);
  const known = before?.status === "False" ? before.message : "";
  return [...Map.groupBy(problems, (problem) => describe(cluster, problem))]
    .filter(([text]) => !known.includes(text))
    .map(([text, [first]]) => ({ type: "Warning" as const, reason, message: `${first!.pod}: ${text}` }));
}

/** The same words for all instances with the same problem. */
function describe({ metadata, spec }: MySQLCluster, { container, text, remedy }: StartProblem): string {
  const name = spec.mysqlConfigMapName;
  const remedies = {
    options: `correct ${name ? `ConfigMap ${name}, or ` : ""}the arguments of container mysqld`,
    logs: `see kubectl logs -n ${metadata.namespace} <pod> -c ${container} --previous`,
    image: "check its name, its registry, and imagePullSecrets",
  };
  return [`${container} does not start: ${text}`, ...(remedy ? [remedies[remedy]] : [])].join(": ");
}
