import type { Client } from "../rest/client.ts";
import { isConflict, isNotFound } from "../rest/errors.ts";
import { keyOf, type KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import { controllerOf } from "./owner.ts";

/** Objects of one kind that the owner makes. A kind that is not named is never looked at. */
export interface PrunableKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  /** `namespace/name` of those that are still wanted. */
  readonly keep: readonly string[];
  /** Candidates as a cache has them. Default: listed from the server by `labels`. */
  readonly live?: readonly KubeObject[];
}

export interface PruneOptions {
  readonly client: Client;
  /** Only what has this object as its controller is deleted. */
  readonly owner: { readonly metadata?: { readonly uid?: string; readonly namespace?: string } };
  /** Only what carries all of these labels is deleted. */
  readonly labels: Readonly<Record<string, string>>;
  readonly kinds: readonly PrunableKind[];
  readonly signal?: AbortSignal | undefined;
}

export interface Pruned {
  readonly kind: string;
  readonly key: string;
}

/** Deletes what the owner made once and wants no more. Returns what was deleted. */
export async function prune(options: PruneOptions): Promise<Pruned[]> {
  const { client, owner, signal } = options;
  const { uid: ownerUid, namespace } = owner.metadata ?? {};
  const pruned: Pruned[] = [];
  if (ownerUid === undefined) return pruned;
  for (const { resource, keep, live } of options.kinds) {
    const candidates = live ?? (await listed(options, resource, namespace));
    for (const candidate of candidates) {
      const { uid, name, namespace, deletionTimestamp } = candidate.metadata ?? {};
      if (uid === undefined || name === undefined || deletionTimestamp !== undefined) continue;
      if (controllerOf(candidate)?.uid !== ownerUid || !hasLabels(candidate, options.labels)) continue;
      if (keep.includes(keyOf(candidate))) continue;
      try {
        await client.delete(
          resource,
          { namespace, name },
          {
            preconditions: { uid },
            propagation: "Background",
            signal,
          },
        );
        pruned.push({ kind: resource.kind, key: keyOf(candidate) });
      } catch (error) {
        // Gone already, or made anew by somebody: no longer the object that we looked at.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    }
  }
  return pruned;
}

async function listed(
  { client, labels, signal }: PruneOptions,
  resource: Resource,
  namespace: string | undefined,
): Promise<readonly KubeObject[]> {
  const labelSelector = Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
  const { items } = await client.list(resource, { namespace, labelSelector, metadataOnly: true, signal });
  return items;
}

function hasLabels(object: KubeObject, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([name, value]) => object.metadata?.labels?.[name] === value);
}
