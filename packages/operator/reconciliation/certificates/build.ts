/** certificates: by which agents are known to the controller, and mysqld to its clients. */
import {
  annotationKeys,
  clusterKeyOf,
  controllerNamespaceLabels,
  dataKeys,
  formatTime,
  podHostNamePattern,
  type MySQLCluster,
} from "@moco-ts/api";
import type { Configuration, LeafRequest, Secret } from "@moco-ts/kube";
import { namesOfCluster, ownedMetadata } from "../metadata.ts";
import type { Published } from "./renewal.ts";

/**
 * What the cluster's certificate says. The common name is not the cluster's: agents obey a caller named
 * `moco-controller`, and a cluster may be named `controller`.
 */
export function certificateRequest(cluster: MySQLCluster): LeafRequest {
  const { primaryService, replicaService } = namesOfCluster(cluster);
  return {
    commonName: "moco-agent",
    dnsNames: [
      podHostNamePattern(clusterKeyOf(cluster)),
      ...[primaryService, replicaService].flatMap((name) => serviceNames(name, cluster.metadata.namespace)),
    ],
    usages: ["server"],
  };
}

/** A Service by all names that are its alone: without the namespace, it may be another one's too. */
function serviceNames(name: string, namespace: string): string[] {
  return [`${name}.${namespace}`, `${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
}

/** Where the cluster's certificate is kept. */
export function buildCertificateSecret(
  cluster: MySQLCluster,
  controllerNamespace: string,
  certificate: Published,
): Configuration<Secret> {
  const { since } = certificate;
  return {
    metadata: {
      name: namesOfCluster(cluster).certificateSecret,
      namespace: controllerNamespace,
      labels: controllerNamespaceLabels(clusterKeyOf(cluster)),
      ...(since !== undefined && { annotations: { [annotationKeys.authoritiesSince]: formatTime(since) } }),
    },
    type: "kubernetes.io/tls",
    data: encoded(certificate),
  };
}

/** The same certificate, where the Pods can mount it. */
export function buildGrpcSecret(cluster: MySQLCluster, certificate: Published): Configuration<Secret> {
  return { metadata: ownedMetadata(cluster, namesOfCluster(cluster).grpcSecret), data: encoded(certificate) };
}

function encoded({ authorities, leaf }: Published): Record<string, string> {
  return {
    [dataKeys.authority]: base64(authorities),
    [dataKeys.certificate]: base64(leaf.certificate),
    [dataKeys.privateKey]: base64(leaf.privateKey),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
