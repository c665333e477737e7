import type { MySQLClusterSpec } from "@moco-ts/api";
import { images } from "./install.ts";

export interface ManifestOptions {
  readonly name: string;
  /** Default: "default". */
  readonly namespace?: string;
  /** Default: 1. */
  readonly replicas?: number;
  readonly annotations?: Record<string, string>;
  /** Replaces whole fields of the spec. */
  readonly spec?: Partial<MySQLClusterSpec>;
}

/** A MySQLCluster that needs nothing but the images of these tests. */
export function manifest({ name, namespace = "default", replicas = 1, annotations = {}, spec = {} }: ManifestOptions) {
  const given: Partial<MySQLClusterSpec> = {
    replicas,
    serverIDBase: 100,
    podTemplate: { spec: { containers: [mysqldContainer()] } },
    // The redo log alone may take 1.6 GB, and a clone needs room for another one.
    volumeClaimTemplates: [claimTemplate("6Gi")],
    ...spec,
  };
  return {
    apiVersion: "moco.cybozu.com/v1beta2",
    kind: "MySQLCluster",
    metadata: { name, namespace, annotations },
    spec: given,
  };
}

/** The container that every cluster has to name. */
export function mysqldContainer(image: string = images.mysql) {
  return { name: "mysqld", image, imagePullPolicy: "Never" };
}

export function claimTemplate(storage: string) {
  return { metadata: { name: "mysql-data" }, spec: { resources: { requests: { storage } } } };
}
