/** service-account: what the Pods are to the API server. It is allowed nothing; users may bind roles to it. */
import type { MySQLCluster } from "@moco-ts/api";
import type { Configuration, ServiceAccount } from "@moco-ts/kube";
import { namesOfCluster, ownedMetadata } from "../metadata.ts";

export function buildServiceAccount(cluster: MySQLCluster): Configuration<ServiceAccount> {
  return { metadata: ownedMetadata(cluster, namesOfCluster(cluster).serviceAccount) };
}
