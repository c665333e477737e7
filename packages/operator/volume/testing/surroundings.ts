import { claimName, MySQLClusters, namesOf, type MySQLCluster, type MySQLClusterSpec } from "@moco-ts/api";
import { claimTemplate, installDefinitions, testClient, testCluster, testNamespace } from "@moco-ts/api/testing";
import {
  ControllerRevisions,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  ServiceAccounts,
  StatefulSets,
  StorageClasses,
  type Client,
  type StatefulSet,
} from "@moco-ts/kube";
import { expect, onTestFinished } from "vitest";
import { startProcess } from "./process.ts";

const patience = { timeout: 30_000, interval: 50 };

/** A namespace with a StorageClass that lets volumes grow, and one that does not. */
export async function surroundings() {
  const client = await testClient();
  await installDefinitions(client);
  const namespace = await testNamespace(client);
  const classes = { growing: `growing-${namespace}`, fixed: `fixed-${namespace}` };
  for (const [kind, name] of Object.entries(classes)) {
    const allowVolumeExpansion = kind === "growing";
    // Nobody provides volumes here: each test does, by a PersistentVolume.
    const provisioner = "kubernetes.io/no-provisioner";
    await client.create(StorageClasses, { metadata: { name }, provisioner, allowVolumeExpansion });
    onTestFinished(async () => void (await client.delete(StorageClasses, { name })));
  }
  return { client, namespace, classes };
}

/** A stored cluster whose StatefulSet, Pods and bound claims exist. */
export async function runningCluster(
  client: Client,
  namespace: string,
  storageClassName: string,
  spec: Partial<MySQLClusterSpec> = {},
): Promise<MySQLCluster & { key: { namespace: string; name: string } }> {
  const volumeClaimTemplates = [claimTemplate("mysql-data", "1Gi", storageClassName)];
  const key = { namespace, name: "c" };
  const cluster = await client.create(MySQLClusters, testCluster({ replicas: 3, volumeClaimTemplates, ...spec }, key));
  for (const { metadata } of cluster.spec.volumeClaimTemplates) {
    for (let ordinal = 0; ordinal < cluster.spec.replicas; ordinal++) {
      await provideVolume(client, namespace, claimName(metadata.name ?? "", key.name, ordinal), storageClassName);
    }
  }
  // Made before the instances, and Pods insist on it.
  await client.create(ServiceAccounts, { metadata: { namespace, name: "moco-c" } });
  const process = await startProcess(client);
  await process.reconcile(key);
  process.stop();
  await expect.poll(async () => (await podsOf(client, namespace)).length, patience).toBe(cluster.spec.replicas);
  const phases = async () => [...new Set((await claimsOf(client, namespace)).map(({ status }) => status?.phase))];
  await expect.poll(phases, patience).toEqual(["Bound"]);
  await settled(client, namespace);
  return { ...cluster, key };
}

/** Kubernetes has done all that it had to do for the StatefulSet, and its Pods are its own. */
export async function settled(client: Client, namespace: string): Promise<StatefulSet> {
  const isSettled = async (): Promise<boolean> => {
    const [set, pods] = [await statefulSetOf(client, namespace), await podsOf(client, namespace)];
    const owned = pods.every(({ metadata }) => metadata?.ownerReferences?.[0]?.uid === set.metadata?.uid);
    return owned && set.status?.observedGeneration === set.metadata?.generation && set.status?.replicas === pods.length;
  };
  await expect.poll(isSettled, patience).toBe(true);
  return statefulSetOf(client, namespace);
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

export function statefulSetOf(client: Client, namespace: string): Promise<StatefulSet> {
  return client.get(StatefulSets, { namespace, name: namesOf({ namespace, name: "c" }).statefulSet });
}

export async function podsOf(client: Client, namespace: string) {
  return (await client.list(Pods, { namespace })).items;
}

export async function claimsOf(client: Client, namespace: string) {
  return (await client.list(PersistentVolumeClaims, { namespace })).items;
}

/** What a restart of any Pod would change. */
export async function podIdentities(client: Client, namespace: string): Promise<string[]> {
  return (await podsOf(client, namespace)).map(
    ({ metadata }) => `${metadata?.name} ${metadata?.uid} ${metadata?.labels?.["controller-revision-hash"]}`,
  );
}

export async function recordsOf(client: Client, namespace: string): Promise<(string | undefined)[]> {
  const labelSelector = "app.kubernetes.io/name=mysql-recreation";
  const { items } = await client.list(ControllerRevisions, { namespace, labelSelector });
  return items.map(({ metadata }) => metadata?.name);
}

export async function sizesOf(client: Client, namespace: string): Promise<Record<string, string | undefined>> {
  const claims = await claimsOf(client, namespace);
  return Object.fromEntries(
    claims.map(({ metadata, spec }) => [metadata?.name, spec?.resources?.requests?.["storage"]]),
  );
}

export async function editTemplates(
  client: Client,
  namespace: string,
  volumeClaimTemplates: MySQLClusterSpec["volumeClaimTemplates"],
): Promise<void> {
  const patch = { type: "merge", body: { spec: { volumeClaimTemplates } } } as const;
  await client.patch(MySQLClusters, { namespace, name: "c" }, patch);
}
