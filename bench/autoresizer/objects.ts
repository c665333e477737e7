import { Namespaces, Nodes, PersistentVolumeClaims, StorageClasses, type Client } from "@moco-ts/kube";
import type { Kubelets, Volume } from "./statistics.ts";

const storageClassName = "bench";
/** Claims are spread over namespaces as in a large cluster. */
const perNamespace = 100;

export async function createStorageClass(client: Client): Promise<void> {
  await client.create(StorageClasses, {
    metadata: { name: storageClassName, annotations: { "resize.topolvm.io/enabled": "true" } },
    provisioner: "example.com/bench",
    allowVolumeExpansion: true,
  });
}

export async function createNodes(client: Client, { address, ports }: Kubelets): Promise<void> {
  await inParallel(ports, async (port, index) => {
    const name = `node-${index}`;
    await client.create(Nodes, { metadata: { name } });
    const status = {
      addresses: [{ type: "InternalIP", address }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
    await client.patch(Nodes, { name }, { type: "merge", body: { status } }, { subresource: "status" });
  });
}

export function volumeOf(index: number): Volume {
  return { namespace: `bench-${Math.floor(index / perNamespace)}`, name: `data-${index}` };
}

/** Claims as a StatefulSet makes them, bound to volumes of 10Gi. */
export async function createClaims(client: Client, from: number, to: number): Promise<Volume[]> {
  const volumes = Array.from({ length: to }, (_, index) => volumeOf(index));
  const added = volumes.slice(from);
  for (const name of new Set(added.map(({ namespace }) => namespace))) {
    await client.create(Namespaces, { metadata: { name } });
  }
  await inParallel(added, async (volume) => {
    await createClaim(client, volume, { "app.kubernetes.io/name": "mysql", "app.kubernetes.io/instance": volume.name });
    const body = { status: { phase: "Bound", capacity: { storage: "10Gi" }, accessModes: ["ReadWriteOnce"] } };
    await client.patch(PersistentVolumeClaims, volume, { type: "merge", body }, { subresource: "status" });
  });
  return volumes;
}

export async function createClaim(client: Client, volume: Volume, labels: Record<string, string>): Promise<void> {
  await client.create(PersistentVolumeClaims, {
    metadata: {
      ...volume,
      labels,
      annotations: {
        "resize.topolvm.io/storage_limit": "100Gi",
        "resize.topolvm.io/threshold": "20%",
        "resize.topolvm.io/increase": "10Gi",
        "volume.kubernetes.io/storage-provisioner": "example.com/bench",
      },
    },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage: "10Gi" } } },
  });
}

export async function inParallel<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) await work(items[index]!, index);
  };
  await Promise.all(Array.from({ length: 24 }, worker));
}
