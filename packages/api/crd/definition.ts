/**
 * crd: the CustomResourceDefinitions, made from our schemas and from those that the API server publishes of its own
 * types, so that it validates a Pod template as it would a Pod, and `kubectl explain` knows every field.
 */
import type { CustomResourceColumnDefinition, CustomResourceDefinition, JSONSchemaProps } from "@moco-ts/kube";
import type { TSchema } from "typebox";
import { backupPolicySpecSchema } from "../backuppolicy/schema.ts";
import { apiGroup } from "../group.ts";
import { mysqlClusterSpecSchema } from "../mysqlcluster/schema.ts";
import { mysqlClusterStatusSchema } from "../mysqlcluster/status-schema.ts";
import { kubernetesKeyword, type KubernetesReference } from "../schema/fields.ts";
import { expand, mapValues, withoutFields, type KubernetesSchemas, type Schema } from "./schema.ts";

export type { KubernetesSchemas } from "./schema.ts";

export function mysqlClusterDefinition(kubernetes: KubernetesSchemas): CustomResourceDefinition {
  const condition = (type: string) => `.status.conditions[?(@.type=='${type}')].status`;
  return define({
    kind: "MySQLCluster",
    plural: "mysqlclusters",
    description: "A cluster of MySQL servers: one primary and its replicas.",
    spec: resolve(mysqlClusterSpecSchema, kubernetes),
    status: resolve(mysqlClusterStatusSchema, kubernetes),
    columns: [
      { name: "Available", type: "string", jsonPath: condition("Available") },
      { name: "Healthy", type: "string", jsonPath: condition("Healthy") },
      { name: "Primary", type: "integer", jsonPath: ".status.currentPrimaryIndex" },
      { name: "Synced replicas", type: "integer", jsonPath: ".status.syncedReplicas" },
      { name: "Errant replicas", type: "integer", jsonPath: ".status.errantReplicas" },
      { name: "Clustering Active", type: "string", jsonPath: condition("ClusteringActive") },
      { name: "Reconcile Active", type: "string", jsonPath: condition("ReconciliationActive") },
      { name: "Last backup", type: "string", jsonPath: ".status.backup.time" },
    ],
  });
}

export function backupPolicyDefinition(kubernetes: KubernetesSchemas): CustomResourceDefinition {
  return define({
    kind: "BackupPolicy",
    plural: "backuppolicies",
    description: "When and how MySQLClusters are backed up.",
    spec: resolve(backupPolicySpecSchema, kubernetes),
  });
}

interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly description: string;
  readonly spec: Schema;
  readonly status?: Schema;
  readonly columns?: CustomResourceColumnDefinition[];
}

function define({ kind, plural, description, spec, status, columns }: Kind): CustomResourceDefinition {
  const schema: Schema = {
    type: "object",
    description,
    required: ["spec"],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec,
      ...(status && { status }),
    },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    // Without the definition all clusters would be deleted: it outlives the chart.
    metadata: { name: `${plural}.${apiGroup}`, annotations: { "helm.sh/resource-policy": "keep" } },
    spec: {
      group: apiGroup,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: "v1beta2",
          served: true,
          storage: true,
          ...(columns && { additionalPrinterColumns: columns }),
          ...(status && { subresources: { status: {} } }),
          schema: { openAPIV3Schema: schema as JSONSchemaProps },
        },
      ],
    },
  };
}

/** Our schema as a definition has it: Kubernetes' types in place, and fields with a default not required. */
function resolve(source: TSchema, kubernetes: KubernetesSchemas): Schema {
  const schema = source as Schema;
  const { [kubernetesKeyword]: reference, properties, required, items, ...rest } = schema;
  if (reference !== undefined) {
    const { name, without } = reference as KubernetesReference;
    return { ...withoutFields(expand(name, kubernetes), without), ...rest };
  }
  const resolved: Record<string, unknown> = { ...rest };
  const needed = required?.filter((name) => properties?.[name]?.default === undefined) ?? [];
  if (needed.length > 0) resolved["required"] = needed;
  if (properties) resolved["properties"] = mapValues(properties, (field) => resolve(field, kubernetes));
  if (items) resolved["items"] = keyed(schema, resolve(items, kubernetes));
  return resolved;
}

function keyed(list: Schema, item: Schema): Schema {
  const keys = list["x-kubernetes-list-map-keys"] as readonly string[] | undefined;
  return keys === undefined ? item : { ...item, required: [...new Set([...keys, ...(item.required ?? [])])] };
}
