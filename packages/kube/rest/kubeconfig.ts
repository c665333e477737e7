import { isAbsolute, join } from "node:path";
import { CodedError } from "@moco-ts/base";
import type { ClusterConfig, Credentials, ExecPlugin, Pem } from "./cluster-config.ts";
import {
  invalid,
  kubeconfigPaths,
  readKubeconfigFiles,
  type KubeconfigCluster,
  type KubeconfigContext,
  type KubeconfigExec,
  type KubeconfigPlace,
  type KubeconfigUser,
  type Named,
} from "./kubeconfig-file.ts";
import { overrideCluster, overrideUser, type KubeconfigOverrides } from "./kubeconfig-overrides.ts";

export interface KubeconfigOptions extends KubeconfigPlace {
  /** Default: the files' current-context. */
  readonly context?: string | undefined;
  /** What goes before the files, as flags do. Default: nothing. */
  readonly overrides?: KubeconfigOverrides | undefined;
}

/** Reads kubeconfig files the way kubectl does: the first file that says something about a name wins. */
export async function loadKubeconfig(options: KubeconfigOptions): Promise<ClusterConfig> {
  const { overrides = {}, environment } = options;
  // Flags alone may say everything.
  const complete = overrides.server !== undefined;
  const merged = await readKubeconfigFiles(kubeconfigPaths(options), complete);
  const contextName = options.context ?? merged.currentContext;
  if (!contextName && !complete) throw invalid("no current-context is set in the kubeconfig");
  const context: KubeconfigContext = contextName ? find(merged.contexts, "context", contextName).value : {};
  const clusterName = overrides.cluster ?? context.cluster;
  const userName = overrides.user ?? context.user;
  const cluster = clusterName || !complete ? find(merged.clusters, "cluster", clusterName ?? "") : nothing;
  const user = userName ? find(merged.users, "user", userName) : nothing;
  const clusterValue = overrideCluster(cluster.value, overrides);
  return {
    ...clusterFields(clusterValue, cluster.directory),
    credentials: credentials(overrideUser(user.value, overrides), user.directory, clusterValue, environment),
    namespace: overrides.namespace || context.namespace || "default",
  };
}

const nothing = { value: {}, directory: "" };

function find<K extends string, V>(
  entries: Map<string, Named<K, V>>,
  kind: K,
  name: string,
): { value: V; directory: string } {
  const found = entries.get(name);
  const value = found?.entry[kind];
  if (!found || !value) throw invalid(`the kubeconfig has no ${kind} ${JSON.stringify(name)}`);
  return { value, directory: found.directory };
}

function clusterFields(
  cluster: KubeconfigCluster,
  directory: string,
): Omit<ClusterConfig, "credentials" | "namespace"> {
  if (!cluster.server) throw invalid("the kubeconfig's cluster has no server");
  if (cluster["proxy-url"]) throw unsupported("proxy-url");
  const authority = pem(cluster["certificate-authority-data"], cluster["certificate-authority"], directory);
  return {
    server: cluster.server,
    ...(authority && { certificateAuthority: authority }),
    ...(cluster["tls-server-name"] && { tlsServerName: cluster["tls-server-name"] }),
    ...(cluster["insecure-skip-tls-verify"] && { insecureSkipTlsVerify: true }),
  };
}

function credentials(
  user: KubeconfigUser,
  directory: string,
  cluster: KubeconfigCluster,
  environment: KubeconfigOptions["environment"],
): Credentials {
  if (user["auth-provider"]) throw unsupported(`auth-provider ${user["auth-provider"].name ?? ""}`);
  const certificate = pem(user["client-certificate-data"], user["client-certificate"], directory);
  const key = pem(user["client-key-data"], user["client-key"], directory);
  if (!certificate !== !key) throw invalid("the kubeconfig's user has a client certificate or key without the other");
  return {
    ...(certificate && key && { clientCertificate: { certificate, key } }),
    ...(user.exec && { exec: execPlugin(user.exec, directory, cluster, environment) }),
    ...(user.tokenFile && { tokenFile: absolute(user.tokenFile, directory) }),
    ...(user.token && { token: user.token }),
    ...(user.username && { basic: { username: user.username, password: user.password ?? "" } }),
    ...(user.as && {
      impersonate: {
        user: user.as,
        ...(user["as-uid"] && { uid: user["as-uid"] }),
        ...(user["as-groups"]?.length && { groups: user["as-groups"] }),
      },
    }),
  };
}

function execPlugin(
  exec: KubeconfigExec,
  directory: string,
  cluster: KubeconfigCluster,
  environment: KubeconfigOptions["environment"],
): ExecPlugin {
  if (!exec.command) throw invalid("the kubeconfig's exec plugin has no command");
  if (exec.interactiveMode === "Always") throw unsupported("exec plugin with interactiveMode Always");
  const extra = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  // A bare name is looked up on PATH; anything with a slash is relative to the file.
  const command = exec.command.includes("/") ? absolute(exec.command, directory) : exec.command;
  return {
    apiVersion: exec.apiVersion ?? "client.authentication.k8s.io/v1",
    command,
    arguments: exec.args ?? [],
    environment: { ...environment, ...extra },
    ...(exec.provideClusterInfo && { clusterInfo: clusterInfo(cluster) }),
    ...(exec.installHint && { installHint: exec.installHint }),
  };
}

function clusterInfo(cluster: KubeconfigCluster): object {
  const extension = cluster.extensions?.find((each) => each.name === "client.authentication.k8s.io/exec")?.extension;
  return {
    server: cluster.server,
    "tls-server-name": cluster["tls-server-name"],
    "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"],
    "certificate-authority-data": cluster["certificate-authority-data"],
    config: extension,
  };
}

function pem(data: string | undefined, file: string | undefined, directory: string): Pem | undefined {
  if (data) return { data: Buffer.from(data, "base64").toString("utf8") };
  return file ? { file: absolute(file, directory) } : undefined;
}

function absolute(path: string, directory: string): string {
  return isAbsolute(path) ? path : join(directory, path);
}

function unsupported(what: string): CodedError {
  return new CodedError("KUBECONFIG_UNSUPPORTED", `the kubeconfig uses ${what}, which is not supported`);
}
