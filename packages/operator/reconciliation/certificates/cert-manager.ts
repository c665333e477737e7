/** Certificates that MOCO had cert-manager make: it would overwrite what we keep under the same name. */
import {
  defineResource,
  isNotFound,
  KubeError,
  Secrets,
  type KubeObject,
  type ObjectKey,
  type Secret,
} from "@moco-ts/kube";
import { clusterKeyOf, namesOf, type MySQLCluster } from "@moco-ts/api";
import type { Tools } from "../tools.ts";

const Certificates = defineResource<KubeObject>("cert-manager.io/v1", "Certificate", "certificates");

const annotationPrefix = "cert-manager.io/";

/** Whether cert-manager looks after the Secret. */
export function isCertManagers({ metadata }: KubeObject): boolean {
  return Object.keys(metadata?.annotations ?? {}).some((key) => key.startsWith(annotationPrefix));
}

/** Ends that cert-manager renews the cluster's certificate. False if we may not. */
export async function endRenewal(
  { client, config }: Pick<Tools, "client" | "config">,
  cluster: MySQLCluster,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.delete(Certificates, secretKey({ config }, cluster), { signal });
  } catch (error) {
    if (error instanceof KubeError && error.status === 403) return false;
    if (!isNotFound(error)) throw error;
  }
  return true;
}

/** Makes the Secret ours, if cert-manager can be stopped from writing to it. */
export async function takeOver(
  tools: Pick<Tools, "client" | "config">,
  cluster: MySQLCluster,
  secret: Secret,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await endRenewal(tools, cluster, signal))) return false;
  const theirs = Object.keys(secret.metadata?.annotations ?? {}).filter((key) => key.startsWith(annotationPrefix));
  const body = { metadata: { annotations: Object.fromEntries(theirs.map((key) => [key, null])) } };
  await tools.client.patch(Secrets, secretKey(tools, cluster), { type: "merge", body }, { signal });
  return true;
}

/** MOCO's Certificate has the same name. */
function secretKey({ config }: Pick<Tools, "config">, cluster: MySQLCluster): ObjectKey {
  return { namespace: config.systemNamespace, name: namesOf(clusterKeyOf(cluster)).certificateSecret };
}
