import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CodedError } from "@moco-ts/base";
import type { ClusterConfig } from "./cluster-config.ts";
import { loadKubeconfig, type KubeconfigOptions } from "./kubeconfig.ts";

export interface InClusterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the service account is mounted. Default /var/run/secrets/kubernetes.io/serviceaccount. */
  readonly directory?: string;
}

const serviceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The configuration of a pod's service account. Token and CA are files that the kubelet rotates: both are read again. */
export async function inClusterConfig(options: InClusterOptions): Promise<ClusterConfig> {
  const { environment, directory = serviceAccountDirectory } = options;
  const host = environment["KUBERNETES_SERVICE_HOST"];
  const port = environment["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) {
    throw new CodedError("NOT_IN_CLUSTER", "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  // Pods of old clusters have no namespace file; nothing but the default depends on it.
  const namespace = await readFile(join(directory, "namespace"), "utf8").catch(() => "default");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    certificateAuthority: { file: join(directory, "ca.crt") },
    credentials: { tokenFile: join(directory, "token") },
    namespace: namespace.trim() || "default",
  };
}

/**
 * What a program should use: a kubeconfig that it was told of by flag or KUBECONFIG, else the pod's service account, else
 * ~/.kube/config.
 */
export async function loadConfig(options: KubeconfigOptions): Promise<ClusterConfig> {
  const { environment } = options;
  const told = options.path ?? environment["KUBECONFIG"];
  if (!told && environment["KUBERNETES_SERVICE_HOST"]) return inClusterConfig({ environment });
  return loadKubeconfig(options);
}
