import type { MySQLCluster } from "@moco-ts/api";

/** Fields of Kubernetes' types that are maps, in which an empty object says nothing. */
const maps = new Set(["annotations", "labels", "limits", "matchLabels", "nodeSelector", "overhead", "requests"]);

/**
 * A part that a user wrote, without what says nothing: nulls, empty lists and empty maps. Passed on, they would make us
 * the owner of fields that have no value. An empty object elsewhere does say something, as in `emptyDir: {}`.
 */
export function withoutBlanks<T>(part: T): T {
  if (Array.isArray(part)) return part.filter((item) => item !== null).map((item) => withoutBlanks(item)) as T;
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part)
    .filter(([name, value]) => !isBlank(name, value))
    .map(([name, value]) => [name, withoutBlanks<unknown>(value)]);
  return Object.fromEntries(entries) as T;
}

/** The cluster, its spec without blanks. */
export function withoutBlankFields(cluster: MySQLCluster): MySQLCluster {
  return { ...cluster, spec: withoutBlanks(cluster.spec) };
}

function isBlank(name: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return maps.has(name) && typeof value === "object" && Object.values(value).every((each) => each === null);
}
