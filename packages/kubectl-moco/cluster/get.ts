import { MySQLClusters, type MySQLCluster } from "@moco-ts/api";
import { isNotFound, Namespaces } from "@moco-ts/kube";
import { Failure } from "../failure.ts";
import type { Session } from "../session.ts";

/** The cluster, or a failure that says what there is instead. */
export async function getCluster(session: Session, name: string, signal: AbortSignal): Promise<MySQLCluster> {
  const { client, namespace } = session;
  try {
    return await client.get(MySQLClusters, { namespace, name }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw await explainMissing(session, name, signal);
  }
}

async function explainMissing({ client, namespace }: Session, name: string, signal: AbortSignal): Promise<Failure> {
  const clusters = await client.list(MySQLClusters, { namespace, signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    // Whoever may not list clusters still learns that this one is not there.
    return { items: [] };
  });
  if (!clusters) {
    const advice = "Install it first, or choose another cluster with --context.";
    return new Failure("the API server does not know MySQLCluster: moco is not installed there", { advice });
  }
  if (clusters.items.length === 0 && (await isMissing(client.get(Namespaces, { name: namespace }, { signal })))) {
    return new Failure(`namespace "${namespace}" not found`, { advice: "Choose another one with --namespace." });
  }
  const names = clusters.items.map(({ metadata }) => metadata.name);
  const advice =
    names.length > 0
      ? `There are: ${names.join(", ")}.`
      : "There is none that you can see. Choose another namespace with --namespace.";
  return new Failure(`MySQLCluster "${name}" not found in namespace "${namespace}"`, { advice });
}

async function isMissing(promise: Promise<unknown>): Promise<boolean> {
  // No right to read namespaces is the rule, not a problem.
  return promise.then(() => false, isNotFound);
}
