import { isDeepStrictEqual } from "node:util";
import type { JsonPatchOperation } from "../rest/client.ts";

/**
 * The operations that turn one JSON value into another (RFC 6902). In lists, what is alike at both ends stays; the
 * rest is changed in place, so that one added or removed item is one operation.
 *
 * @example diff({ a: 1 }, { a: 2 }) // [{ op: "replace", path: "/a", value: 2 }]
 */
export function diff(from: unknown, to: unknown, path = ""): JsonPatchOperation[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (Array.isArray(from) && Array.isArray(to)) return diffLists(from, to, path);
  if (isRecord(from) && isRecord(to)) return diffRecords(from, to, path);
  return [{ op: "replace", path, value: to }];
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function diffRecords(from: Fields, to: Fields, path: string): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  for (const name of Object.keys(from)) {
    // Own properties only: a key may be called "constructor".
    if (!Object.hasOwn(to, name)) operations.push({ op: "remove", path: join(path, name) });
  }
  for (const [name, value] of Object.entries(to)) {
    if (Object.hasOwn(from, name)) operations.push(...diff(from[name], value, join(path, name)));
    else operations.push({ op: "add", path: join(path, name), value });
  }
  return operations;
}

function diffLists(from: readonly unknown[], to: readonly unknown[], path: string): JsonPatchOperation[] {
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && isDeepStrictEqual(from[head], to[head])) head++;
  let tail = 0;
  while (tail < shorter - head && isDeepStrictEqual(from.at(-1 - tail), to.at(-1 - tail))) tail++;

  const [oldEnd, newEnd] = [from.length - tail, to.length - tail];
  const common = Math.min(oldEnd, newEnd);
  const operations: JsonPatchOperation[] = [];
  for (let at = head; at < common; at++) operations.push(...diff(from[at], to[at], join(path, at)));
  // From the end, since a removal moves what comes after it.
  for (let at = oldEnd - 1; at >= common; at--) operations.push({ op: "remove", path: join(path, at) });
  for (let at = common; at < newEnd; at++) operations.push({ op: "add", path: join(path, at), value: to[at] });
  return operations;
}

function join(path: string, name: string | number): string {
  return `${path}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
