/** What MOCO 0.36 stores for one MySQLCluster with many settings, as an API server gives it back. */
import { readFileSync } from "node:fs";
import type { MySQLCluster } from "@moco-ts/api";
import type { KubeObject, Service, StatefulSet } from "@moco-ts/kube";

/** The images and options that it was made with. */
export const mocoImages = {
  agent: "agent:1",
  fluentBit: "ghcr.io/cybozu-go/moco/fluent-bit:5.0.2.1",
  exporter: "ghcr.io/cybozu-go/moco/mysqld_exporter:0.19.0.1",
};

export const mocoUserOptions = {
  "long-query-time": "0",
  innodb_log_file_size: "10M",
  loose_slow_query_log: "OFF",
  lower_case_table_names: "1",
  _include: "performance-schema-instrument='memory/%=ON'\n",
};

export const mocoConfigMaps = {
  myCnf: "moco-full.7f1783f9",
  fluentBit: "moco-slow-log-agent-config-full.13246250",
};

export function mocoCluster(): MySQLCluster {
  return read("cluster") as MySQLCluster;
}

export function mocoStatefulSet(): StatefulSet {
  return read("stateful-set") as StatefulSet;
}

/** The fields of the StatefulSet that MOCO owns. */
export function mocoStatefulSetFields(): object {
  return read("stateful-set-fields") as object;
}

export function mocoService(name: string): Service {
  return find(read("services") as Service[], "Service", name);
}

export function mocoObject(kind: string, name: string): KubeObject {
  return find(read("objects") as KubeObject[], kind, name);
}

function find<T extends KubeObject>(objects: readonly T[], kind: string, name: string): T {
  const found = objects.find((each) => each.kind === kind && each.metadata?.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name} in the fixtures`);
  return found;
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`moco-${name}.json`, import.meta.url), "utf8"));
}
