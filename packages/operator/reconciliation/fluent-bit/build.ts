/** fluent-bit: how the sidecar prints the slow query log. */
import { dataKeys, fluentBitConfigMapName, type MySQLCluster } from "@moco-ts/api";
import type { ConfigMap, Configuration } from "@moco-ts/kube";
import { defaultFluentBitTemplate, expandFluentBitTemplate } from "@moco-ts/mysql";
import { ownedMetadata } from "../metadata.ts";

/** None if the sidecar is not wanted. Throws FLUENT_BIT_TEMPLATE_INVALID if the user's template can't be expanded. */
export function buildFluentBitConfigMap(cluster: MySQLCluster): Configuration<ConfigMap> | undefined {
  if (cluster.spec.disableSlowQueryLogContainer) return undefined;
  const template = cluster.spec.slowQueryLogConfigTmpl ?? defaultFluentBitTemplate;
  const name = fluentBitConfigMapName(cluster.metadata.name, template);
  return { metadata: ownedMetadata(cluster, name), data: { [dataKeys.fluentBit]: expandFluentBitTemplate(template) } };
}
