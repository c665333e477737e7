import type { KubeObject } from "@moco-ts/kube";
import type { OperatorCluster } from "../testing/index.ts";

/** Everything in a namespace, of every kind that the API server has, but for events and what controllers derive. */
export async function objectsIn(cluster: OperatorCluster, namespace: string): Promise<KubeObject[]> {
  const kinds = await cluster.kubectl("api-resources", "--namespaced", "--verbs=list", "-o", "name");
  const derived = /^(events|endpoints|endpointslices|controllerrevisions)\b/;
  const wanted = kinds.split("\n").filter((kind) => !derived.test(kind));
  return cluster.list<KubeObject>(wanted.join(","), "-n", namespace);
}

export function namesOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ kind, metadata }) => `${kind}/${metadata?.name}`).sort();
}

/** Name, generation and resourceVersion: equal ones mean that nobody has written in between. */
export function versionsOf(objects: readonly KubeObject[]): string[] {
  return objects
    .map(({ kind, metadata }) => `${kind}/${metadata?.name} ${metadata?.generation} ${metadata?.resourceVersion}`)
    .sort();
}
