// Generated from the API server's OpenAPI by `make generate`. Changes by hand are lost.

import { defineResource } from "../resource.ts";
import type { ObjectMeta } from "../object.ts";
import type { TopologySelectorTerm } from "./core-v1.ts";

export interface StorageClass {
  allowVolumeExpansion?: boolean;
  allowedTopologies?: TopologySelectorTerm[];
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  mountOptions?: string[];
  parameters?: Record<string, string>;
  provisioner: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
}

export const StorageClasses = defineResource<StorageClass>("storage.k8s.io/v1", "StorageClass", "storageclasses", "Cluster");
