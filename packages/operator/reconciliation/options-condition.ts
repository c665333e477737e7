import { conditionTypes, type ConditionContent, type MySQLCluster } from "@moco-ts/api";

/** Whether the user's mysqld options do what they seem to. */
export function optionsCondition({ metadata, spec }: MySQLCluster, warnings: readonly string[]): ConditionContent {
  const type = conditionTypes.optionsSound;
  const observedGeneration = metadata.generation ?? 0;
  if (warnings.length === 0) {
    const message = "no option of mysqld needs a second look";
    return { type, status: "True", reason: "OptionsSound", message, observedGeneration };
  }
  const message = `ConfigMap ${spec.mysqlConfigMapName}: ${warnings.join("; ")}`;
  return { type, status: "False", reason: "OptionsQuestionable", message, observedGeneration };
}
