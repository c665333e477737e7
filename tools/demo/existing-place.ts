import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { BackupPolicies, MySQLClusters } from "@moco-ts/api";
import { removeChart } from "@moco-ts/helm";
import {
  connect,
  CustomResourceDefinitions,
  Deployments,
  isNotFound,
  loadKubeconfig,
  Namespaces,
  type Client,
  type KubeObject,
  type ListOptions,
  type Resource,
} from "@moco-ts/kube";
import { autoresizerArguments, charts, install, systemNamespaces } from "./install.ts";
import type { Narrator } from "./narrator.ts";
import type { Place } from "./place.ts";

export interface ExistingOptions {
  readonly kubeconfigPath: string;
  /** Where nodes find this project's images. */
  readonly images: string;
  readonly mysql: string;
  readonly narrator: Narrator;
  readonly signal: AbortSignal;
}

const kinds: readonly Resource[] = [MySQLClusters, BackupPolicies];
const definitionOf = ({ plural, group }: Resource): string => `${plural}.${group}`;

/** A namespace of a cluster that is there already: its default StorageClass must be able to grow volumes. */
export async function existingPlace(options: ExistingOptions): Promise<Place> {
  const { kubeconfigPath, images, mysql, narrator, signal } = options;
  const client = connect(await loadKubeconfig({ environment: { ...process.env, KUBECONFIG: kubeconfigPath } }));
  const missing = await look(client, signal).catch(async (error: unknown) => {
    await client.close();
    throw error;
  });
  const namespace = `moco-ts-demo-${randomBytes(3).toString("hex")}`;

  const leave = async (): Promise<void> => {
    narrator.print(`\nDeleting the namespace ${namespace} and what was installed.`);
    // The controller ends its clusters, so it has to outlive them.
    await remove(client, Namespaces, namespace);
    for (const chart of charts) {
      const place = { kubeconfigPath, namespace: systemNamespaces[chart] };
      await removeChart(chart, { ...place, flags: ["--ignore-not-found"] });
    }
    for (const name of missing.namespaces) await remove(client, Namespaces, name);
    for (const kind of missing.definitions) {
      const users = await namesOf(client, kind);
      if (users.length === 0) await remove(client, CustomResourceDefinitions, definitionOf(kind));
      else narrator.say(`the definition ${definitionOf(kind)} stays, since somebody uses it: ${users[0]}`);
    }
    await client.close();
  };
  try {
    await narrator.step("A namespace in the existing cluster", async () => {
      await client.create(Namespaces, { metadata: { name: namespace } }, { signal });
      narrator.say(`namespace ${namespace}, mysqld from ${mysql}`);
    });
    const values = {
      moco: { imageRegistry: images },
      "pvc-autoresizer": { imageRegistry: images, controller: autoresizerArguments(namespace) },
    };
    await install({ kubeconfigPath, values, narrator, signal });
  } catch (error) {
    await leave();
    throw error;
  }
  const hints = [
    `  make cli && build/kubectl-moco --namespace ${namespace} status demo -w`,
    `  kubectl --namespace ${namespace} get mysqlclusters,pods,pvc`,
    `  kubectl delete namespace ${namespace}`,
    ...charts.map((chart) => `  helm uninstall ${chart} --namespace ${systemNamespaces[chart]}`),
    ...missing.namespaces.map((name) => `  kubectl delete namespace ${name}`),
    ...missing.definitions.map((kind) => `  kubectl delete crd ${definitionOf(kind)}`),
  ];
  return { kubeconfigPath, namespace, image: mysql, hints, leave };
}

interface Missing {
  readonly namespaces: readonly string[];
  readonly definitions: readonly Resource[];
}

/** What will have to be removed again. Fails if somebody uses there what the demo is about to install. */
async function look(client: Client, signal: AbortSignal): Promise<Missing> {
  const labelSelector = `app.kubernetes.io/name in (${charts.join(",")})`;
  const users = await namesOf(client, Deployments, { labelSelector, signal });
  const definitions: Resource[] = [];
  for (const kind of kinds) {
    if (await isThere(client, CustomResourceDefinitions, definitionOf(kind), signal))
      users.push(...(await namesOf(client, kind, { signal })));
    else definitions.push(kind);
  }
  if (users.length > 0)
    throw new Error(
      `that cluster runs it already: ${users[0]}. The demo would take that over: ` +
        "show it another cluster, or do without KUBECONFIG",
    );
  const namespaces: string[] = [];
  for (const name of Object.values(systemNamespaces))
    if (!(await isThere(client, Namespaces, name, signal))) namespaces.push(name);
  return { namespaces, definitions };
}

async function namesOf<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  options: ListOptions = {},
): Promise<string[]> {
  const { items } = await client.list(resource, options);
  return items.map(({ metadata }) => `${resource.kind} ${metadata?.namespace}/${metadata?.name}`);
}

async function isThere<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  name: string,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    await client.get(resource, { name }, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Returns when it is gone. */
async function remove<T extends KubeObject>(client: Client, resource: Resource<T>, name: string): Promise<void> {
  await client.delete(resource, { name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  while (await isThere(client, resource, name)) await sleep(500);
}
