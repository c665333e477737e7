import { defineResource, type KubeObject, type ObjectMeta } from "@moco-ts/kube";
import type { Static } from "typebox";
import { apiVersion } from "../group.ts";
import type { jobConfig } from "../schema/job.ts";
import type { backupPolicySpecSchema } from "./schema.ts";

export type BackupPolicySpec = Static<typeof backupPolicySpecSchema>;
export type JobConfig = Static<typeof jobConfig>;

/** When and how clusters are backed up. Several clusters may share one. */
export interface BackupPolicy extends KubeObject {
  metadata: ObjectMeta & { name: string; namespace: string };
  spec: BackupPolicySpec;
}

export const BackupPolicies = defineResource<BackupPolicy>(apiVersion, "BackupPolicy", "backuppolicies");
