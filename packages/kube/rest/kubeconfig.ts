import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { CodedError } from "@moco-ts/base";
import type { ClusterConfig, Credentials, ExecPlugin, Pem } from "./cluster-config.ts";

export interface KubeconfigOptions {
  /** The program's environment: KUBECONFIG is read from it, and exec plugins inherit it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** One file instead of KUBECONFIG and ~/.kube/config. */
  readonly path?: string | undefined;
  /** Default: the files' current-context. */
  readonly context?: string | undefined;
}

interface Named<K extends string, V> {
  readonly entry: { readonly name?: string } & { readonly [key in K]?: V };
  /** Paths in an entry are relative to the file that it is in. */
  readonly directory: string;
}

interface Merged {
  currentContext?: string;
  readonly clusters: Map<string, Named<"cluster", KubeconfigCluster>>;
  readonly users: Map<string, Named<"user", KubeconfigUser>>;
  readonly contexts: Map<string, Named<"context", KubeconfigContext>>;
}

interface KubeconfigContext {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

interface KubeconfigCluster {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "tls-server-name"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "proxy-url"?: string;
  readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[];
}

interface KubeconfigUser {
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
  readonly exec?: KubeconfigExec;
  readonly "auth-provider"?: { readonly name?: string };
}

interface KubeconfigExec {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: string;
  readonly installHint?: string;
}

/** Reads kubeconfig files the way kubectl does: the first file that says something about a name wins. */
export async function loadKubeconfig(options: KubeconfigOptions): Promise<ClusterConfig> {
  const merged = await merge(kubeconfigPaths(options));
  const contextName = options.context ?? merged.currentContext;
  if (!contextName) throw invalid("no current-context is set in the kubeconfig");
  const context = find(merged.contexts, "context", contextName).value;
  const cluster = find(merged.clusters, "cluster", context.cluster ?? "");
  const user = context.user ? find(merged.users, "user", context.user) : undefined;
  return {
    ...clusterFields(cluster.value, cluster.directory),
    credentials: user ? credentials(user.value, user.directory, cluster.value, options.environment) : {},
    namespace: context.namespace || "default",
  };
}

/** The files that `loadKubeconfig` reads; those that are missing are passed over if there are several. */
export function kubeconfigPaths(options: KubeconfigOptions): string[] {
  if (options.path) return [options.path];
  const listed = (options.environment["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  return listed.length > 0 ? listed : [join(options.environment["HOME"] ?? homedir(), ".kube", "config")];
}

async function merge(paths: readonly string[]): Promise<Merged> {
  // Programs in a cluster never read YAML: they are spared its parser.
  const { parse } = await import("yaml");
  const merged: Merged = { clusters: new Map(), users: new Map(), contexts: new Map() };
  let found = 0;
  for (const path of paths) {
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && paths.length > 1) return undefined;
      throw invalid(`cannot read the kubeconfig ${path}`, error);
    });
    if (text === undefined) continue;
    found++;
    let file;
    try {
      file = (parse(text) ?? {}) as Record<string, unknown>;
    } catch (error) {
      // The parser's message quotes the offending lines, which may hold a key: only the place is told.
      throw invalid(`the kubeconfig ${path} is not valid YAML${placeOf(error)}`);
    }
    merged.currentContext ||= file["current-context"] as string | undefined;
    const directory = dirname(resolve(path));
    addAll(merged.clusters, file["clusters"], directory);
    addAll(merged.users, file["users"], directory);
    addAll(merged.contexts, file["contexts"], directory);
  }
  if (found === 0) throw invalid(`none of the kubeconfig files exists: ${paths.join(", ")}`);
  return merged;
}

function addAll<K extends string, V>(into: Map<string, Named<K, V>>, entries: unknown, directory: string): void {
  for (const entry of (entries ?? []) as Named<K, V>["entry"][]) {
    if (entry.name !== undefined && !into.has(entry.name)) into.set(entry.name, { entry, directory });
  }
}

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
        ...(user["as-groups"] && { groups: user["as-groups"] }),
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

function placeOf(error: unknown): string {
  const position = (error as { linePos?: readonly { line: number }[] }).linePos?.[0];
  return position ? ` (line ${position.line})` : "";
}

function invalid(message: string, cause?: unknown): CodedError {
  return new CodedError("KUBECONFIG_INVALID", message, cause === undefined ? undefined : { cause });
}

function unsupported(what: string): CodedError {
  return new CodedError("KUBECONFIG_UNSUPPORTED", `the kubeconfig uses ${what}, which is not supported`);
}
