/** What the benchmark puts into its control plane. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { finalizer, MySQLClusters } from "@moco-ts/api";
import {
  ConfigMaps,
  CustomResourceDefinitions,
  isNotFound,
  Namespaces,
  Pods,
  Secrets,
  type Client,
} from "@moco-ts/kube";
import { parse } from "yaml";

export const namespace = "bench";
const definitions = join(import.meta.dirname, "../../charts/moco/generated/crds");

/** The definitions of custom resources, and the namespaces. */
export async function prepare(client: Client): Promise<void> {
  for (const file of await readdir(definitions)) {
    await client.create(CustomResourceDefinitions, parse(await readFile(join(definitions, file), "utf8")));
  }
  for (const name of [namespace, "moco-system"]) await client.create(Namespaces, { metadata: { name } });
  while (!(await isServed(client))) await delay(100);
}

async function isServed(client: Client): Promise<boolean> {
  try {
    await client.list(MySQLClusters);
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return false;
  }
}

/** A cluster of one replica. */
export async function createCluster(client: Client, index: number): Promise<void> {
  await client.create(MySQLClusters, {
    metadata: { name: `cluster-${index}`, namespace, finalizers: [finalizer] },
    spec: {
      replicas: 1,
      serverIDBase: 1000 + index,
      maxDelaySeconds: 60,
      maxDelaySecondsForPodDeletion: 0,
      startupWaitSeconds: 3600,
      podTemplate: { spec: { containers: [{ name: "mysqld", image: "mysql:8.4" }] } },
      volumeClaimTemplates: [
        { metadata: { name: "mysql-data" }, spec: { resources: { requests: { storage: "1Gi" } } } },
      ],
    },
  });
}

/** A Pod, a Secret or a ConfigMap of 1 kB that is not ours. */
export async function createForeign(client: Client, index: number): Promise<void> {
  const metadata = { name: `foreign-${index}`, namespace, labels: { app: "foreign" } };
  const text = "x".repeat(1000);
  if (index % 3 === 0) await client.create(ConfigMaps, { metadata, data: { text } });
  else if (index % 3 === 1) await client.create(Secrets, { metadata, stringData: { text } });
  else {
    const containers = [{ name: "main", image: "foreign:1", env: [{ name: "TEXT", value: text }] }];
    await client.create(Pods, { metadata, spec: { containers, automountServiceAccountToken: false } });
  }
}

export async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 20 }, worker));
}
