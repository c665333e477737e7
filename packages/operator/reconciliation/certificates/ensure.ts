import type { MySQLCluster } from "@moco-ts/api";
import { isNotFound, keyOf, lifetimeOf, Secrets, type Certificate, type Secret } from "@moco-ts/kube";
import { namesOfCluster } from "../metadata.ts";
import { ensure, type Tools } from "../tools.ts";
import { buildCertificateSecret, buildGrpcSecret, certificateRequest } from "./build.ts";
import { isCertManagers, takeOver } from "./cert-manager.ts";
import { isUsable, together, type Published } from "./renewal.ts";
import { decodePublished } from "./stored.ts";

/** Keeps the certificate of the cluster's agents and of its mysqld good, there where they read it. */
export async function ensureCertificate(tools: Tools, cluster: MySQLCluster, signal: AbortSignal): Promise<void> {
  const { caches, config, authority } = tools;
  const stored = await readStored(tools, cluster, signal);
  const present = stored && decodePublished(stored);
  if (stored && present && (await isLeftAlone(tools, cluster, { stored, present }, signal))) {
    const copy = { ...present, authorities: together(present.authorities, authority.trusted()) };
    await ensure(tools, caches.secrets, buildGrpcSecret(cluster, copy), signal);
    return;
  }
  const certificate = await authority.certify(present, certificateRequest(cluster), signal);
  await ensure(tools, caches.secrets, buildCertificateSecret(cluster, config.systemNamespace, certificate), signal);
  await ensure(tools, caches.secrets, buildGrpcSecret(cluster, certificate), signal);
}

/** What the controller needs to call the cluster's agents, as it is at this moment. */
export async function agentCredentials(
  { authority, caches }: Pick<Tools, "authority" | "caches">,
  cluster: MySQLCluster,
): Promise<Certificate> {
  const { grpcSecret: name } = namesOfCluster(cluster);
  const mounted = caches.secrets.cache.get(keyOf({ namespace: cluster.metadata.namespace, name }));
  return authority.credentials(decodePublished(mounted ?? {}));
}

/** MOCO had cert-manager make it, without a label of ours. */
async function readStored(
  { caches, client, config }: Tools,
  cluster: MySQLCluster,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  const { certificateSecret: name } = namesOfCluster(cluster);
  const key = { namespace: config.systemNamespace, name };
  const cached = caches.secrets.cache.get(keyOf(key));
  if (cached || !caches.namesakes.get(Secrets.plural)?.cache.get(keyOf(key))) return cached;
  return client.get(Secrets, key, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/**
 * Whether cert-manager goes on looking after the certificate. While the cluster is at version 1, it could be handed back
 * to MOCO at any time. Version 2 needs more names in its certificate than MOCO's has.
 */
async function isLeftAlone(
  tools: Tools,
  cluster: MySQLCluster,
  { stored, present }: { readonly stored: Secret; readonly present: Published },
  signal: AbortSignal,
): Promise<boolean> {
  if (!isCertManagers(stored)) return false;
  const isVersion1 = (cluster.status?.reconcileInfo?.reconcileVersion ?? 1) === 1;
  if (isVersion1 && !isOverdue(present, tools.clock.now())) return true;
  return !(await takeOver(tools, cluster, stored, signal));
}

/** Nobody renews it any more: cert-manager does so after two thirds of its time. */
function isOverdue({ leaf }: Published, now: number): boolean {
  if (!isUsable(leaf, now)) return true;
  const { renewAt, endsAt } = lifetimeOf(leaf.certificate);
  return (renewAt + endsAt) / 2 <= now;
}
