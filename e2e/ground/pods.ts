import type { Cluster } from "@moco-ts/local-kubernetes";
import { busyboxImage } from "@moco-ts/local-kubernetes";

export interface WebPod {
  name: string;
  node: string;
  labels?: Record<string, string>;
  /** The name of a claim that is mounted at /data. Default: none. */
  claim?: string;
}

/** A pod that serves its own name at port 8080. */
export function webPod({ name, node, labels = {}, claim }: WebPod): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels },
    spec: {
      nodeSelector: { "kubernetes.io/hostname": node },
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: "web",
          image: busyboxImage,
          imagePullPolicy: "Never",
          command: ["sh", "-c", `echo ${name} >/tmp/index.html; exec httpd -f -p 8080 -h /tmp`],
          readinessProbe: { httpGet: { port: 8080, path: "/" }, periodSeconds: 1 },
          ...(claim && { volumeMounts: [{ name: "data", mountPath: "/data" }] }),
        },
      ],
      ...(claim && { volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim } }] }),
    },
  };
}

/** A claim of the default storage class. */
export function claim(name: string): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "320Mi" } } },
  };
}

export function service(name: string, selector: Record<string, string>): object {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { selector, ports: [{ port: 80, targetPort: 8080 }] },
  };
}

export async function apply(cluster: Cluster, ...objects: object[]): Promise<void> {
  const list = { apiVersion: "v1", kind: "List", items: objects };
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(list) });
}

export async function untilPodsReady(cluster: Cluster, ...names: string[]): Promise<void> {
  const pods = names.map((name) => `pod/${name}`);
  await cluster.kubectl(["wait", "--for=condition=Ready", "--timeout=60s", ...pods]);
}

export async function podAddress(cluster: Cluster, name: string): Promise<string> {
  return cluster.kubectl(["get", "pod", name, "-o", "jsonpath={.status.podIP}"]);
}

/** What a pod gets from a URL, or "unreachable" after two seconds. */
export async function fetchFrom(cluster: Cluster, pod: string, url: string): Promise<string> {
  const script = `timeout 2 wget -qO- ${url} || echo unreachable`;
  return (await cluster.kubectl(["exec", pod, "--", "sh", "-c", script])).trim();
}
