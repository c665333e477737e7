import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { CodedError } from "@moco-ts/base";

export interface KubeconfigPlace {
  /** The program's environment: KUBECONFIG is read from it, and exec plugins inherit it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** One file instead of KUBECONFIG and ~/.kube/config. */
  readonly path?: string | undefined;
}

export interface Named<K extends string, V> {
  readonly entry: { readonly name?: string } & { readonly [key in K]?: V };
  /** Paths in an entry are relative to the file that it is in. */
  readonly directory: string;
}

export interface Merged {
  currentContext?: string;
  readonly clusters: Map<string, Named<"cluster", KubeconfigCluster>>;
  readonly users: Map<string, Named<"user", KubeconfigUser>>;
  readonly contexts: Map<string, Named<"context", KubeconfigContext>>;
}

export interface KubeconfigContext {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

export interface KubeconfigCluster {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "tls-server-name"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "proxy-url"?: string;
  readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[];
}

export interface KubeconfigUser {
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

export interface KubeconfigExec {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: string;
  readonly installHint?: string;
}

/** The files that `loadKubeconfig` reads; those that are missing are passed over if there are several. */
export function kubeconfigPaths(options: KubeconfigPlace): string[] {
  if (options.path) return [options.path];
  const listed = (options.environment["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  return listed.length > 0 ? listed : [join(options.environment["HOME"] ?? homedir(), ".kube", "config")];
}

/** What the files say together: the first one that says something about a name wins. `optional`: there may be none. */
export async function readKubeconfigFiles(paths: readonly string[], optional = false): Promise<Merged> {
  // Programs in a cluster never read YAML: they are spared its parser.
  const { parse } = await import("yaml");
  const merged: Merged = { clusters: new Map(), users: new Map(), contexts: new Map() };
  let found = 0;
  for (const path of paths) {
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && (optional || paths.length > 1)) return undefined;
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
  if (found === 0 && !optional) throw invalid(`none of the kubeconfig files exists: ${paths.join(", ")}`);
  return merged;
}

function addAll<K extends string, V>(into: Map<string, Named<K, V>>, entries: unknown, directory: string): void {
  for (const entry of (entries ?? []) as Named<K, V>["entry"][]) {
    if (entry.name !== undefined && !into.has(entry.name)) into.set(entry.name, { entry, directory });
  }
}

/** What there is to choose from by flags, for those who offer it. */
export async function readKubeconfigNames(
  place: KubeconfigPlace,
): Promise<{ contexts: string[]; clusters: string[]; users: string[] }> {
  const { contexts, clusters, users } = await readKubeconfigFiles(kubeconfigPaths(place));
  return { contexts: [...contexts.keys()], clusters: [...clusters.keys()], users: [...users.keys()] };
}

function placeOf(error: unknown): string {
  const position = (error as { linePos?: readonly { line: number }[] }).linePos?.[0];
  return position ? ` (line ${position.line})` : "";
}

export function invalid(message: string, cause?: unknown): CodedError {
  return new CodedError("KUBECONFIG_INVALID", message, cause === undefined ? undefined : { cause });
}
