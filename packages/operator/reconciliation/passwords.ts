import { conditionTypes, type MySQLCluster } from "@moco-ts/api";
import { CodedError } from "@moco-ts/base";
import { isAlreadyExists, isNotFound, keyOf, Secrets, type Client, type Secret } from "@moco-ts/kube";
import { namesOfCluster } from "./metadata.ts";
import { buildControllerSecret } from "./secrets/build.ts";
import { generatePasswords, passwordsOf, type Passwords } from "./secrets/passwords.ts";
import type { Tools } from "./tools.ts";

/**
 * The passwords of the cluster's users, made once. They can't be made again: mysqld would not know of it. If their Secret
 * was deleted, they are taken from the copy that Pods use.
 */
export async function ensurePasswords(tools: Tools, cluster: MySQLCluster, signal: AbortSignal): Promise<Passwords> {
  const key = { namespace: tools.config.systemNamespace, name: namesOfCluster(cluster).controllerSecret };
  const cached = tools.caches.secrets.cache.get(keyOf(key));
  return passwordsOf(cached ?? (await create(tools, cluster, key, signal)));
}

async function create(
  { client, config, randomBytes }: Tools,
  cluster: MySQLCluster,
  key: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<Secret> {
  const passwords = (await readCopy(client, cluster, signal)) ?? generatePasswords(randomBytes);
  const secret = buildControllerSecret(cluster, config.systemNamespace, passwords);
  try {
    return await client.create(Secrets, secret, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // The cache has not seen it yet.
    return client.get(Secrets, key, { signal });
  }
}

async function readCopy(client: Client, cluster: MySQLCluster, signal: AbortSignal): Promise<Passwords | undefined> {
  const key = { namespace: cluster.metadata.namespace, name: namesOfCluster(cluster).usersSecret };
  try {
    return passwordsOf(await client.get(Secrets, key, { signal }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (wasInitialized(cluster)) throw lost(cluster);
    return undefined;
  }
}

function wasInitialized({ status }: MySQLCluster): boolean {
  return (
    status?.conditions?.some(({ type, status }) => type === conditionTypes.initialized && status === "True") ?? false
  );
}

function lost(cluster: MySQLCluster): CodedError {
  const { controllerSecret, usersSecret } = namesOfCluster(cluster);
  const message =
    `the passwords of the cluster's users are gone with the Secrets ${controllerSecret} and ${usersSecret}: ` +
    "put one of them back from a backup, as mysqld knows no others";
  return new CodedError("SECRET_LOST", message);
}
