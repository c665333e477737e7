import { keyOf, isAlreadyExists, Secrets, type Secret } from "@moco-ts/kube";
import type { MySQLCluster } from "@moco-ts/api";
import { namesOfCluster } from "./metadata.ts";
import { buildControllerSecret } from "./secrets/build.ts";
import { generatePasswords, passwordsOf, type Passwords } from "./secrets/passwords.ts";
import type { Tools } from "./tools.ts";

/** The passwords of the cluster's users, made once. They can't be made again: mysqld would not know of it. */
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
  const secret = buildControllerSecret(cluster, config.systemNamespace, generatePasswords(randomBytes));
  try {
    return await client.create(Secrets, secret, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // The cache has not seen it yet.
    return client.get(Secrets, key, { signal });
  }
}
