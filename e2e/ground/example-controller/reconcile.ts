import {
  ConfigMaps,
  controllerReference,
  done,
  keyOf,
  prune,
  type Applier,
  type Client,
  type ConfigMap,
  type Configuration,
  type Informer,
  type Key,
  type Outcome,
  type ReconcileContext,
} from "@moco-ts/kube";
import { copiesAnnotation, copyOfLabel } from "./names.ts";

export interface Tools {
  readonly client: Client;
  readonly applier: Applier;
  readonly sources: Informer<ConfigMap>;
  readonly copies: Informer<ConfigMap>;
}

/** Makes as many copies of a ConfigMap as it asks for, keeps them right, and removes those that are too many. */
export async function reconcile(tools: Tools, key: Key, { signal }: ReconcileContext): Promise<Outcome> {
  const source = tools.sources.cache.get(key);
  // What it owned is removed by the garbage collector.
  if (source === undefined || source.metadata?.deletionTimestamp !== undefined) return done;
  const wanted = copiesOf(source);
  let created = 0;
  for (const copy of wanted) {
    const live = tools.copies.cache.get(keyOf(copy.metadata as { name: string; namespace: string }));
    const { outcome } = await tools.applier.apply(ConfigMaps, copy, { live, signal });
    if (outcome === "created") created++;
  }
  const keep = wanted.map(({ metadata }) => keyOf({ namespace: source.metadata!.namespace, name: metadata.name }));
  const labels = { [copyOfLabel]: source.metadata!.name! };
  const kinds = [{ resource: ConfigMaps, keep, live: tools.copies.cache.list() }];
  await prune({ client: tools.client, owner: source, labels, kinds, signal });
  if (created === 0) return done;
  const event = { type: "Normal", reason: "Copied", message: `Made ${created} copies` } as const;
  return { kind: "done", events: [{ regarding: source, ...event }] };
}

function copiesOf(source: ConfigMap): Configuration<ConfigMap>[] {
  const { name = "", namespace = "", annotations = {} } = source.metadata ?? {};
  return Array.from({ length: Number(annotations[copiesAnnotation] ?? 0) }, (_, index) => ({
    metadata: {
      name: `${name}-copy-${index}`,
      namespace,
      labels: { [copyOfLabel]: name },
      ownerReferences: [controllerReference(ConfigMaps, source)],
    },
    data: source.data ?? {},
  }));
}
