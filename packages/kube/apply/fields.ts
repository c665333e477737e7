import type { KubeObject, ManagedFieldsEntry } from "../types/object.ts";

/**
 * The fields that a manager owns, as the API server records them: a tree whose edges are `f:name` (a field), `k:{...}`
 * (a list item by its keys), `v:...` (a member of a set), `i:0` (an item by position) and `.` (the node itself).
 * A node without edges is owned with all that is under it.
 */
export interface FieldTree {
  readonly [edge: string]: FieldTree;
}

/** Edges from the root: what identifies a field in every manager's tree. */
export type FieldPath = readonly string[];

export function fieldTree(entry: ManagedFieldsEntry | undefined): FieldTree | undefined {
  return entry?.fieldsV1 as FieldTree | undefined;
}

/** What our manager applied. Entries of other API versions don't count: their fields may have other names. */
export function appliedFields(
  live: KubeObject,
  which: { manager: string; apiVersion: string; subresource?: string | undefined },
): FieldTree | undefined {
  const entry = live.metadata?.managedFields?.find(
    (each) =>
      each.operation === "Apply" &&
      each.manager === which.manager &&
      each.apiVersion === which.apiVersion &&
      (each.subresource ?? "") === (which.subresource ?? ""),
  );
  return fieldTree(entry);
}

/** Edges without the one for the node itself. */
export function edgesOf(tree: FieldTree): string[] {
  return Object.keys(tree).filter((edge) => edge !== ".");
}

/**
 * True if the tree owns the field, something above it as a whole, or something below it. Of a list whose items have owners
 * of their own, to own some is not to own the list.
 */
export function covers(tree: FieldTree, path: FieldPath): boolean {
  let node: FieldTree | undefined = tree;
  for (const [depth, edge] of path.entries()) {
    if (depth > 0 && edgesOf(node).length === 0) return true;
    node = node[edge];
    if (node === undefined) return false;
  }
  return !edgesOf(node).some((edge) => edge.startsWith("k:") || edge.startsWith("v:"));
}

/** The keys of a `k:` edge or the value of a `v:` edge. */
export function edgeValue(edge: string): unknown {
  return JSON.parse(edge.slice(2));
}

/** As the API server writes paths: `.spec.containers[name="mysqld"].image`. */
export function formatPath(path: FieldPath): string {
  return path
    .map((edge) => {
      const value = edge.slice(2);
      if (edge.startsWith("f:")) return /^[\w-]+$/.test(value) ? `.${value}` : `[${JSON.stringify(value)}]`;
      if (!edge.startsWith("k:")) return `[${value}]`;
      const keys = Object.entries(edgeValue(edge) as object);
      return `[${keys.map(([name, each]) => `${name}=${JSON.stringify(each)}`).join(",")}]`;
    })
    .join("");
}
