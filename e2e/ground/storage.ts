import type { Client, PersistentVolumeClaim, Pod } from "@moco-ts/kube";
import { Events, PersistentVolumeClaims, Pods } from "@moco-ts/kube";
import { busyboxImage, type Cluster } from "@moco-ts/local-kubernetes";

export const namespace = "default";

export interface ClaimOptions {
  name: string;
  /** Default: the cluster's default class. */
  storageClassName?: string;
  /** Default: 300Mi. */
  storage?: string;
  annotations?: Record<string, string>;
}

export function claim({ name, storageClassName, storage = "300Mi", annotations }: ClaimOptions): PersistentVolumeClaim {
  return {
    metadata: { name, namespace, ...(annotations && { annotations }) },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage } },
      ...(storageClassName && { storageClassName }),
    },
  };
}

/** A pod that waits, with a claim at /data. */
export function userOf(claimName: string, { name = claimName, node }: { name?: string; node?: string } = {}): Pod {
  return {
    metadata: { name, namespace },
    spec: {
      terminationGracePeriodSeconds: 1,
      // Not by nodeName: the scheduler must see the pod, as it chooses the node that the volume is made on.
      ...(node && { nodeSelector: { "kubernetes.io/hostname": node } }),
      containers: [
        {
          name: "user",
          image: busyboxImage,
          imagePullPolicy: "Never",
          command: ["sh", "-c", "trap exit TERM; sleep infinity & wait"],
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    },
  };
}

/** What tests of volumes ask for again and again. */
export class Storage {
  readonly cluster: Cluster;
  readonly client: Client;

  constructor(cluster: Cluster, client: Client) {
    this.cluster = cluster;
    this.client = client;
  }

  async createUser(options: ClaimOptions & { node?: string }): Promise<void> {
    await this.client.create(PersistentVolumeClaims, claim(options));
    await this.client.create(Pods, userOf(options.name, options.node ? { node: options.node } : {}));
    await this.untilReady(options.name);
  }

  async untilReady(...pods: string[]): Promise<void> {
    const names = pods.map((pod) => `pod/${pod}`);
    await this.cluster.kubectl(["wait", "--for=condition=Ready", "--timeout=90s", ...names]);
  }

  async restart(pod: Pod): Promise<void> {
    await this.cluster.kubectl(["delete", "pod", pod.metadata!.name!]);
    await this.client.create(Pods, pod);
  }

  async remove(name: string): Promise<void> {
    await this.cluster.kubectl(["delete", "pod,pvc", name, "--ignore-not-found"]);
  }

  claim(name: string): Promise<PersistentVolumeClaim> {
    return this.client.get(PersistentVolumeClaims, { namespace, name });
  }

  async ask(name: string, storage: string): Promise<void> {
    const body = { spec: { resources: { requests: { storage } } } };
    await this.client.patch(PersistentVolumeClaims, { namespace, name }, { type: "merge", body });
  }

  async capacity(name: string): Promise<string | undefined> {
    return (await this.claim(name)).status?.capacity?.["storage"];
  }

  async conditions(name: string): Promise<string[]> {
    return ((await this.claim(name)).status?.conditions ?? []).map(({ type }) => type);
  }

  /** Reasons of a claim's events, each once. */
  async events(name: string): Promise<string[]> {
    const fieldSelector = `involvedObject.kind=PersistentVolumeClaim,involvedObject.name=${name}`;
    const { items } = await this.client.list(Events, { namespace, fieldSelector });
    return [...new Set(items.map(({ reason }) => reason ?? ""))];
  }

  exec(pod: string, script: string): Promise<string> {
    return this.cluster.kubectl(["exec", pod, "--", "sh", "-c", script]);
  }

  /** A pod's own view of the size of its volume, in bytes. */
  async sizeInPod(pod: string): Promise<number> {
    const [, line = ""] = (await this.exec(pod, "df -P -k /data")).split("\n");
    return Number(line.split(/\s+/)[1]) * 1024;
  }

  /** One of the kubelet's kubelet_volume_stats_* of a claim. */
  async volumeStatistic(node: string, name: string, statistic: string): Promise<number | undefined> {
    const { body } = await this.client.raw(`/api/v1/nodes/${node}/proxy/metrics`);
    const series = `kubelet_volume_stats_${statistic}{namespace="${namespace}",persistentvolumeclaim="${name}"} `;
    const line = body.split("\n").find((each) => each.startsWith(series));
    return line === undefined ? undefined : Number(line.slice(series.length));
  }
}
