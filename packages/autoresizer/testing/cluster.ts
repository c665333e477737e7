/** For API tests: claims that are bound, on an API server without any node. */
import { randomUUID } from "node:crypto";
import {
  connect,
  loadKubeconfig,
  Namespaces,
  PersistentVolumeClaims,
  PersistentVolumes,
  StorageClasses,
  type Client,
  type ClusterConfig,
  type PersistentVolumeClaim,
} from "@moco-ts/kube";
import { sharedControlPlane } from "@moco-ts/local-kubernetes";
import { onTestFinished, vi } from "vitest";
import { annotationsOf, type Annotations } from "./objects.ts";

export async function testConfig(): Promise<ClusterConfig> {
  const { kubeconfigPath } = await sharedControlPlane();
  return loadKubeconfig({ environment: {}, path: kubeconfigPath });
}

/** A namespace and a StorageClass of the same name that nobody else uses. */
export class TestCluster {
  readonly client: Client;
  readonly namespace: string;

  private constructor(client: Client, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  /** Everything is deleted when the test ends. */
  static async create(annotations: Annotations = {}, allowVolumeExpansion = true): Promise<TestCluster> {
    const client = connect(await testConfig(), { qps: Infinity });
    const name = `test-${randomUUID().slice(0, 8)}`;
    onTestFinished(async () => {
      await client.delete(Namespaces, { name });
      await client.delete(StorageClasses, { name });
      const { items } = await client.list(PersistentVolumes, { labelSelector: `test=${name}`, metadataOnly: true });
      await Promise.all(items.map(({ metadata }) => client.delete(PersistentVolumes, { name: metadata!.name! })));
      await client.close();
    });
    await client.create(Namespaces, { metadata: { name } });
    await client.create(StorageClasses, {
      metadata: { name, annotations: annotationsOf({ enabled: "true", ...annotations }) },
      provisioner: "example.com/test",
      allowVolumeExpansion,
    });
    return new TestCluster(client, name);
  }

  /** A claim that is bound to a volume, as soon as this returns. */
  async createClaim(name: string, options: NewClaim = {}): Promise<PersistentVolumeClaim> {
    const { storage = "10Gi", ...rest } = options;
    const { namespace, client } = this;
    await client.create(PersistentVolumes, {
      metadata: { name: `${namespace}-${name}`, labels: { test: namespace } },
      spec: {
        capacity: { storage },
        accessModes: ["ReadWriteOnce"],
        volumeMode: options.volumeMode ?? "Filesystem",
        storageClassName: namespace,
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { namespace, name },
        csi: { driver: "example.com", volumeHandle: name },
      },
    });
    await this.create(name, { storage, volumeName: `${namespace}-${name}`, ...rest });
    return vi.waitFor(
      async () => {
        const claim = await this.claim(name);
        if (claim.status?.phase !== "Bound") throw new Error(`${name} is ${claim.status?.phase}`);
        return claim;
      },
      { timeout: 30_000, interval: 50 },
    );
  }

  /** A claim as a user creates it. */
  create(name: string, options: NewClaim = {}): Promise<PersistentVolumeClaim> {
    const { storage = "10Gi", annotations = {}, labels, volumeMode, volumeName } = options;
    return this.client.create(PersistentVolumeClaims, {
      metadata: { name, namespace: this.namespace, annotations: annotationsOf(annotations), ...(labels && { labels }) },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: this.namespace,
        resources: { requests: { storage } },
        ...(volumeMode && { volumeMode }),
        ...(volumeName && { volumeName }),
      },
    });
  }

  claim(name: string): Promise<PersistentVolumeClaim> {
    return this.client.get(PersistentVolumeClaims, { namespace: this.namespace, name });
  }

  async request(name: string): Promise<string | undefined> {
    return (await this.claim(name)).spec?.resources?.requests?.["storage"];
  }

  async annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const entries = Object.entries(annotations).map(([key, value]) => [`resize.topolvm.io/${key}`, value]);
    const body = { metadata: { annotations: Object.fromEntries(entries) } };
    await this.client.patch(PersistentVolumeClaims, this.#key(name), { type: "merge", body });
  }

  /** What a resizer does when it has done its work. */
  async finishResize(name: string): Promise<void> {
    const storage = await this.request(name);
    await this.setStatus(name, { capacity: { storage }, conditions: [] });
  }

  async setStatus(name: string, status: object): Promise<void> {
    const patch = { type: "merge", body: { status } } as const;
    await this.client.patch(PersistentVolumeClaims, this.#key(name), patch, { subresource: "status" });
  }

  #key(name: string) {
    return { namespace: this.namespace, name };
  }
}

export interface NewClaim {
  readonly storage?: string;
  readonly annotations?: Annotations;
  readonly labels?: Record<string, string>;
  readonly volumeMode?: string;
  readonly volumeName?: string;
}
