import { defaultOf, isEmpty, isRecord, sameValue, type Fields } from "./equality.ts";
import { edgesOf, edgeValue, type FieldPath, type FieldTree } from "./fields.ts";

export interface Difference {
  readonly path: FieldPath;
  /**
   * - missing: we want it, the live object has it not
   * - different: we want another value
   * - unwanted: we own it and want it no more
   * - unowned: the value is right, but not recorded as ours
   * - order: our items stand in another order
   */
  readonly kind: "missing" | "different" | "unwanted" | "unowned" | "order";
  /** True if the field is recorded as ours: then the change comes from us, not from somebody else. */
  readonly ours: boolean;
  readonly live: unknown;
}

/** What identifies an object, or is the server's own: never in a manager's tree. */
const identity = {
  root: new Set(["apiVersion", "kind"]),
  metadata: new Set([
    "creationTimestamp",
    "generateName",
    "generation",
    "managedFields",
    "name",
    "namespace",
    "resourceVersion",
    "selfLink",
    "uid",
  ]),
};

/** Where the live object is not what an apply of `desired` would make of it. None: the apply can be left out. */
export function compare(desired: object, live: object, owned: FieldTree | undefined): Difference[] {
  const differences: Difference[] = [];
  const { metadata, ...rest } = desired as Fields;
  const described = without((metadata ?? {}) as Fields, identity.metadata);
  // Every object has metadata: to want none of it is no wish for an empty one.
  const wanted = isEmpty(described) && !owned?.["f:metadata"] ? rest : { ...rest, metadata: described };
  compareRecord([], without(wanted, identity.root), live as Fields, owned ?? {}, differences);
  return differences;
}

function compareAny(
  path: FieldPath,
  desired: unknown,
  live: unknown,
  owned: FieldTree | undefined,
  found: Difference[],
): void {
  const report = (kind: Difference["kind"]): void => {
    found.push({ path, kind, live, ours: owned !== undefined });
  };
  if (desired === null) {
    // An explicit null takes the value away; what the server then fills in can't be told from what was there.
    if (!isEmpty(live)) report("different");
    return;
  }
  if (owned === undefined) {
    // A list of items without items is not recorded.
    if (Array.isArray(desired) && isEmpty(desired) && isEmpty(live)) return;
    if (isRecord(desired) && !isEmpty(desired) && isRecord(live)) compareRecord(path, desired, live, {}, found);
    else if (live === undefined) report("missing");
    else report(sameValue(desired, live, path) ? "unowned" : "different");
    return;
  }
  const whole = edgesOf(owned).length === 0;
  if (!whole && Array.isArray(desired)) return compareItems(path, desired, live, owned, found);
  if (!whole && isRecord(desired)) return compareRecord(path, desired, isRecord(live) ? live : {}, owned, found);
  if (isRecord(desired) && isEmpty(desired)) return;
  if (!sameValue(desired, live, path)) report(live === undefined ? "missing" : "different");
}

function compareRecord(path: FieldPath, desired: Fields, live: Fields, owned: FieldTree, found: Difference[]): void {
  for (const [name, value] of Object.entries(desired)) {
    compareAny([...path, `f:${name}`], value, live[name], owned[`f:${name}`], found);
  }
  for (const edge of edgesOf(owned)) {
    const name = edge.slice(2);
    if (desired[name] === undefined) compareUnwanted([...path, edge], live[name], owned[edge]!, found);
  }
}

/** Of a field that we want no more, what is ours and still there. */
function compareUnwanted(path: FieldPath, live: unknown, owned: FieldTree, found: Difference[]): void {
  if (isEmpty(live)) return;
  if (edgesOf(owned).length === 0) found.push({ path, kind: "unwanted", live, ours: true });
  else compareAny(path, Array.isArray(live) ? [] : {}, live, owned, found);
}

/** Lists whose items are told apart by keys (`k:`) or by value (`v:`). */
function compareItems(
  path: FieldPath,
  desired: readonly unknown[],
  live: unknown,
  owned: FieldTree,
  found: Difference[],
): void {
  const items: readonly unknown[] = Array.isArray(live) ? live : [];
  const edges = edgesOf(owned);
  const sample = edges[0]!;
  const identify = identifier(sample);
  const edgeOf = new Map(edges.map((edge) => [JSON.stringify(edgeValue(edge)), edge]));
  const positionOf = new Map(items.map((item, at) => [identify(item), at] as const).toReversed());
  const wanted = new Set(desired.map(identify));
  let last = -1;
  let ordered = true;
  for (const item of desired) {
    const id = identify(item);
    const edge = edgeOf.get(id) ?? `${sample.slice(0, 2)}${id}`;
    const position = positionOf.get(id);
    compareAny([...path, edge], item, position === undefined ? undefined : items[position], owned[edge], found);
    if (position === undefined) continue;
    ordered &&= position > last;
    last = position;
  }
  for (const [id, edge] of edgeOf) {
    const position = positionOf.get(id);
    if (position === undefined || wanted.has(id)) continue;
    found.push({ path: [...path, edge], kind: "unwanted", live: items[position], ours: true });
  }
  if (!ordered) found.push({ path, kind: "order", live: items.map(identify), ours: true });
}

/** What tells the items of a list apart, as JSON: the keys that one of its edges has, or the whole item. */
function identifier(edge: string): (item: unknown) => string {
  if (!edge.startsWith("k:")) return (item) => JSON.stringify(item);
  const keys = Object.keys(edgeValue(edge) as object);
  return (item) =>
    JSON.stringify(isRecord(item) ? Object.fromEntries(keys.map((key) => [key, keyOf(item, key)])) : item);
}

function keyOf(item: Fields, key: string): unknown {
  return item[key] ?? defaultOf(key);
}

function without(record: Fields, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.has(name)));
}
