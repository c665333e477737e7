/** For API tests: clusters whose StatefulSets, Pods and bound claims are made by Kubernetes' own controllers. */
import {
  claimName,
  clusterLabels,
  fieldManager,
  formatSelector,
  MySQLClusters,
  namesOf,
  type MySQLClusterSpec,
} from "@moco-ts/api";
import { claimTemplate, installDefinitions, testClient, testCluster, testNamespace } from "@moco-ts/api/testing";
import {
  Applier,
  ControllerRevisions,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  ServiceAccounts,
  StatefulSets,
  StorageClasses,
  type Client,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
} from "@moco-ts/kube";
import { expect, onTestFinished } from "vitest";
import { buildServiceAccount } from "../../reconciliation/service-account/build.ts";
import { startProcess } from "./process.ts";

export const patience = { timeout: 120_000, interval: 50 };

/** A namespace with a StorageClass that lets volumes grow, and one that does not. */
export async function surroundings() {
  const client = await testClient();
  await installDefinitions(client);
  const namespace = await testNamespace(client);
  const classes = { growing: `growing-${namespace}`, fixed: `fixed-${namespace}` };
  for (const [kind, name] of Object.entries(classes)) {
    // Nobody provides volumes here: tests do, by PersistentVolumes.
    const provisioner = "kubernetes.io/no-provisioner";
    await client.create(StorageClasses, {
      metadata: { name },
      provisioner,
      allowVolumeExpansion: kind === "growing",
    });
    onTestFinished(async () => void (await client.delete(StorageClasses, { name })));
  }
  return { client, namespace, classes };
}

/** Makes a cluster, and waits until all that Kubernetes does for it is done. */
export async function runningCluster(
  client: Client,
  namespace: string,
  spec: Partial<MySQLClusterSpec> & Pick<MySQLClusterSpec, "volumeClaimTemplates">,
  name = "c",
): Promise<RunningCluster> {
  const stored = await client.create(MySQLClusters, testCluster({ replicas: 3, ...spec }, { namespace, name }));
  for (const template of stored.spec.volumeClaimTemplates) {
    for (let ordinal = 0; ordinal < stored.spec.replicas; ordinal++) {
      const claim = claimName(template.metadata.name ?? "", name, ordinal);
      await provideVolume(client, namespace, claim, template.spec.storageClassName ?? "");
    }
  }
  // It is made before the instances, and Pods insist on it.
  await new Applier({ client, fieldManager }).apply(ServiceAccounts, buildServiceAccount(stored));
  const process = await startProcess(client);
  await process.reconcileUntilDone({ namespace, name });
  process.stop();
  const cluster = new RunningCluster(client, { namespace, name });
  await expect.poll(async () => (await cluster.pods()).length, patience).toBe(stored.spec.replicas);
  const phases = async () => new Set((await cluster.claims()).map(({ status }) => status?.phase));
  await expect.poll(phases, patience).toEqual(new Set(["Bound"]));
  await cluster.settled();
  return cluster;
}

export class RunningCluster {
  readonly client: Client;
  readonly key: { readonly namespace: string; readonly name: string };

  constructor(client: Client, key: { readonly namespace: string; readonly name: string }) {
    this.client = client;
    this.key = key;
  }

  async edit(spec: Partial<MySQLClusterSpec>): Promise<void> {
    await this.client.patch(MySQLClusters, this.key, { type: "merge", body: { spec } });
  }

  statefulSet(): Promise<StatefulSet> {
    return this.client.get(StatefulSets, { ...this.key, name: namesOf(this.key).statefulSet });
  }

  async pods(): Promise<Pod[]> {
    return (await this.client.list(Pods, this.#selection)).items;
  }

  async claims(): Promise<PersistentVolumeClaim[]> {
    return (await this.client.list(PersistentVolumeClaims, this.#selection)).items;
  }

  /** What a restart of any Pod would change. */
  async podIdentities(): Promise<string[]> {
    return (await this.pods()).map(({ metadata }) => `${metadata?.name} ${metadata?.uid} ${revisionOf(metadata)}`);
  }

  /** Of all claims, in the order of their names. */
  async sizes(): Promise<(string | undefined)[]> {
    return (await this.claims()).map(({ spec }) => spec?.resources?.requests?.["storage"]);
  }

  async records(): Promise<number> {
    const labelSelector = "app.kubernetes.io/name=mysql-recreation";
    const { items } = await this.client.list(ControllerRevisions, { namespace: this.key.namespace, labelSelector });
    return items.filter(({ metadata }) => metadata?.name === namesOf(this.key).recreation).length;
  }

  /** Waits until Kubernetes has done all that it had to do, and the Pods are the StatefulSet's own. */
  async settled(): Promise<StatefulSet> {
    const isSettled = async (): Promise<boolean> => {
      const [{ metadata, spec, status }, pods] = [await this.statefulSet(), await this.pods()];
      const areOwned = pods.every((pod) => pod.metadata?.ownerReferences?.[0]?.uid === metadata?.uid);
      const isObserved = status?.observedGeneration === metadata?.generation;
      return areOwned && isObserved && status?.replicas === spec?.replicas && pods.length === spec?.replicas;
    };
    await expect.poll(isSettled, patience).toBe(true);
    return this.statefulSet();
  }

  get #selection() {
    return { namespace: this.key.namespace, labelSelector: formatSelector(clusterLabels(this.key.name)) };
  }
}

function revisionOf(metadata: Pod["metadata"]): string | undefined {
  return metadata?.labels?.["controller-revision-hash"];
}

async function provideVolume(client: Client, namespace: string, claim: string, storageClassName: string) {
  const name = `${namespace}-${claim}`;
  await client.create(PersistentVolumes, {
    metadata: { name },
    spec: {
      storageClassName,
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/none" },
      claimRef: { namespace, name: claim },
      persistentVolumeReclaimPolicy: "Retain",
    },
  });
  onTestFinished(async () => void (await client.delete(PersistentVolumes, { name })));
}

/** One template of 1Gi, which may get other metadata or another size. */
export function dataTemplate(storageClass: string, storage = "1Gi", metadata: object = {}) {
  const template = claimTemplate("mysql-data", storage, storageClass);
  return { ...template, metadata: { ...template.metadata, ...metadata } };
}

/** Whose fields are whose, without the times. */
export function ownership({ metadata }: StatefulSet) {
  const entries = metadata!.managedFields!.filter(({ subresource }) => !subresource);
  return entries.map(({ manager, operation, apiVersion, fieldsV1 }) => ({ manager, operation, apiVersion, fieldsV1 }));
}

/** Changes the Pods' template, and lets Kubernetes update the last Pod only. */
export async function beginUpdate(cluster: RunningCluster): Promise<void> {
  const template = testCluster().spec.podTemplate;
  await cluster.edit({ podTemplate: { ...template, metadata: { annotations: { version: "2" } } } });
  const process = await startProcess(cluster.client);
  await process.reconcileUntilDone(cluster.key);
  process.stop();
  await setPartition(cluster, 2);
  const updated = async () => (await cluster.statefulSet()).status?.updatedReplicas;
  await expect.poll(updated, patience).toBe(1);
}

/** As the rolling update sets it. */
export async function setPartition({ client, key }: RunningCluster, partition: number): Promise<void> {
  const metadata = { namespace: key.namespace, name: namesOf(key).statefulSet };
  const spec = { updateStrategy: { rollingUpdate: { partition } } } as StatefulSet["spec"];
  const object = { apiVersion: "apps/v1", kind: "StatefulSet", metadata, ...(spec && { spec }) };
  await client.apply(StatefulSets, object, { fieldManager: "moco-rollout", force: true });
}
