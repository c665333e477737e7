import { defineResource, type KubeObject, type ObjectMeta } from "@moco-ts/kube";
import type { Static } from "typebox";
import { apiVersion } from "../group.ts";
import type { mysqlClusterSpecSchema } from "./schema.ts";
import type { mysqlClusterStatusSchema } from "./status-schema.ts";

/**
 * As the API server gives it: fields with a default in the schema are there. Quantities inside of Kubernetes' own types
 * may be numbers, if the user wrote them without a unit.
 */
export type MySQLClusterSpec = Static<typeof mysqlClusterSpecSchema>;
export type MySQLClusterStatus = Static<typeof mysqlClusterStatusSchema>;

export type PodTemplate = MySQLClusterSpec["podTemplate"];
export type PodTemplateSpecPart = PodTemplate["spec"];
export type ContainerPart = NonNullable<PodTemplateSpecPart["containers"]>[number];
export type OverwriteContainer = NonNullable<PodTemplate["overwriteContainers"]>[number];
export type VolumeClaimTemplate = MySQLClusterSpec["volumeClaimTemplates"][number];
export type ServiceTemplate = NonNullable<MySQLClusterSpec["primaryServiceTemplate"]>;
export type RestoreSpec = NonNullable<MySQLClusterSpec["restore"]>;
export type BackupStatus = NonNullable<MySQLClusterStatus["backup"]>;
export type ReconcileInfo = NonNullable<MySQLClusterStatus["reconcileInfo"]>;

/** A primary mysqld and its replicas. */
export interface MySQLCluster extends KubeObject {
  metadata: ObjectMeta & { name: string; namespace: string };
  spec: MySQLClusterSpec;
  /** Not there until a controller has seen the cluster. */
  status?: MySQLClusterStatus;
}

export const MySQLClusters = defineResource<MySQLCluster>(apiVersion, "MySQLCluster", "mysqlclusters");
