import { parseQuantity } from "@moco-ts/base";
import type { FieldPath } from "./fields.ts";

/** Maps whose values are quantities, and single fields that are. Elsewhere "1" and "1000m" are two different texts. */
const quantityMaps = new Set(["f:requests", "f:limits", "f:capacity", "f:overhead", "f:hard"]);
const quantityFields = new Set(["f:divisor", "f:sizeLimit"]);

/** Maps whose keys are people's own, so that a field's name says nothing about its value. */
const freeMaps = new Set(["f:data", "f:binaryData", "f:labels", "f:annotations", "f:matchLabels", "f:parameters"]);

/**
 * What the API server fills in inside of values that are owned as a whole. One of these in the live object may be a
 * default or may have been asked for once: it makes no difference, since leaving it out gives the same again.
 */
const defaults: Readonly<Record<string, unknown>> = {
  apiVersion: "v1",
  divisor: "0",
  expirationSeconds: 3600,
  kind: "PersistentVolumeClaim",
  protocol: "TCP",
  scope: "*",
  status: { phase: "Pending" },
  volumeMode: "Filesystem",
};

export function defaultOf(field: string): unknown {
  return defaults[field];
}

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Null, or a map or list without content: none of them survives in what the API server stores. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Also "", 0 and false, which most fields leave out when they are served. */
function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false || isEmpty(value);
}

/** True if the API server would store `desired`, which is JSON, as `live`. */
export function sameValue(desired: unknown, live: unknown, path: FieldPath): boolean {
  if (live === undefined || live === null) return isZero(desired);
  if (Array.isArray(desired)) {
    if (!Array.isArray(live)) return false;
    return (
      desired.length === live.length && desired.every((each, at) => sameValue(each, live[at], [...path, `i:${at}`]))
    );
  }
  if (isRecord(desired)) return isRecord(live) && sameRecord(desired, live, path);
  if (desired === null) return isEmpty(live);
  if (desired === live) return true;
  return (typeof desired === "string" || typeof desired === "number") && sameText(`${desired}`, live, path);
}

function sameRecord(desired: Fields, live: Fields, path: FieldPath): boolean {
  for (const [name, value] of Object.entries(desired)) {
    if (!sameValue(value, live[name], [...path, `f:${name}`])) return false;
  }
  return Object.entries(live).every(
    ([name, value]) => name in desired || isEmpty(value) || isDefault(name, value, path),
  );
}

function isDefault(name: string, value: unknown, path: FieldPath): boolean {
  if (freeMaps.has(path.at(-1) ?? "")) return false;
  const known = defaults[name];
  return known !== undefined && sameValue(known, value, [...path, `f:${name}`]);
}

/** Two notations of one quantity or one moment, in a field that is known to hold one. */
function sameText(desired: string, live: unknown, path: FieldPath): boolean {
  if (typeof live !== "string") return false;
  const [parent = "", field = ""] = path.slice(-2);
  if (freeMaps.has(parent)) return false;
  if (quantityMaps.has(parent) || quantityFields.has(field)) return sameParsed(parseQuantity, desired, live);
  if (/Time(stamp)?$/.test(field)) return sameParsed(parseTime, desired, live);
  return false;
}

function sameParsed(parse: (text: string) => bigint | number, one: string, other: string): boolean {
  try {
    return parse(one) === parse(other);
  } catch {
    // Not in a notation that we know: then only equal texts are equal, and those were told apart before.
    return false;
  }
}

function parseTime(text: string): number {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) throw new RangeError(`not a time: ${text}`);
  return milliseconds;
}
