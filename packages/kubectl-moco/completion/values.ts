import { createdBy, labelKeys, MySQLClusters, mysqlUsers, ordinalOf, type MySQLCluster } from "@moco-ts/api";
import { Namespaces, Pods, readKubeconfigNames, type KubeObject } from "@moco-ts/kube";
import type { GlobalFlags } from "../global-flags.ts";
import { withSession, type Session } from "../session.ts";
import type { Candidate, Completion, ValueFinder } from "./complete.ts";
import type { Position } from "./position.ts";
import { shells } from "./scripts.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Search = (session: Session, position: Position, signal: AbortSignal) => Promise<Candidate[]>;

/** Nobody waits for longer until a shell answers. */
const patience = 3_000;

/** Knows what the values of options and arguments may be, by their names. Finds nothing where it may not look. */
export function createValueFinder(environment: Environment, signal: AbortSignal): ValueFinder {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  return async (name, position) => {
    try {
      return await find(name, position, environment, limited);
    } catch {
      // A shell has no place for errors: whoever presses Enter will see them.
      return { candidates: [] };
    }
  };
}

const fixed: Readonly<Record<string, readonly string[]>> = {
  "--mysql-user": [mysqlUsers.readOnly.name, mysqlUsers.writable.name, mysqlUsers.admin.name],
  "--format": ["plain", "mycnf"],
  "--output": ["json", "yaml"],
  shell: shells,
};

const files = new Set(["--kubeconfig", "--certificate-authority", "--client-certificate", "--client-key"]);

const entries = { "--context": "contexts", "--cluster": "clusters", "--user": "users" } as const;

const searches: Readonly<Record<string, Search>> = {
  cluster: clusters,
  "pod-or-cluster": (session, position, signal) =>
    position.options["index"] === undefined ? replicas(session, signal) : clusters(session, position, signal),
  "--index": indexes,
  "--to": indexes,
  "--namespace": async ({ client }, _position, signal) =>
    (await client.list(Namespaces, { signal })).items.map((each) => ({ value: nameOf(each) })),
};

async function find(
  name: string,
  position: Position,
  environment: Environment,
  signal: AbortSignal,
): Promise<Completion> {
  if (files.has(name)) return "files";
  const flags: GlobalFlags = { ...position.options, requestTimeout: patience };
  if (name in entries) {
    const names = await readKubeconfigNames({ environment, path: flags.kubeconfig });
    return { candidates: names[entries[name as keyof typeof entries]].map((value) => ({ value })) };
  }
  const search = searches[name];
  if (!search) return { candidates: (fixed[name] ?? []).map((value) => ({ value })) };
  return { candidates: await withSession(flags, environment, (session) => search(session, position, signal)) };
}

async function clusters(
  { client, namespace }: Session,
  _position: Position,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const { items } = await client.list(MySQLClusters, { namespace, signal });
  return items.map((cluster) => ({ value: nameOf(cluster), description: stateOf(cluster) }));
}

function stateOf({ status }: MySQLCluster): string | undefined {
  return status?.conditions?.find(({ type }) => type === "Healthy")?.reason;
}

/** Pods of all clusters that are not primaries. */
async function replicas({ client, namespace }: Session, signal: AbortSignal): Promise<Candidate[]> {
  const labelSelector = `${labelKeys.createdBy}=${createdBy},${labelKeys.name}=mysql,${labelKeys.role}!=primary`;
  const { items } = await client.list(Pods, { namespace, labelSelector, signal, metadataOnly: true });
  return items.map((pod) => ({ value: nameOf(pod) })).filter(({ value }) => ordinalOf(value) !== undefined);
}

async function indexes({ client, namespace }: Session, position: Position, signal: AbortSignal): Promise<Candidate[]> {
  const name = position.words[0];
  if (name === undefined) return [];
  const { spec, status } = await client.get(MySQLClusters, { namespace, name }, { signal });
  const all = Array.from({ length: spec.replicas }, (_, index) => index);
  return all.map((index) => ({
    value: String(index),
    description: index === status?.currentPrimaryIndex ? "primary" : undefined,
  }));
}

function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? "";
}
