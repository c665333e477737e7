import type { KubeObject, ObjectMeta } from "../types/object.ts";
import type { Priority } from "../queue/lanes.ts";

/** Something that happened to an object. */
export type Change<T extends KubeObject> =
  /** `known`: it was there when the controller began, so that nothing new has happened. */
  | { readonly type: "added"; readonly object: T; readonly known: boolean }
  | { readonly type: "updated"; readonly object: T; readonly old: T }
  | { readonly type: "deleted"; readonly object: T };

/** Which changes are worth a look. Additions and deletions always are in the ones below. */
export type Predicate<T extends KubeObject = KubeObject> = (change: Change<T>) => boolean;

/** What a user asked for has changed, not only what somebody reports. Kinds without a generation always count. */
export const specChanged: Predicate = differs(
  ({ generation, resourceVersion, deletionTimestamp }) => `${generation ?? resourceVersion}/${deletionTimestamp}`,
);

export const labelsChanged: Predicate = differs(({ labels }) => stable(labels));

export const annotationsChanged: Predicate = differs(({ annotations }) => stable(annotations));

export function anyOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

const askedFor = anyOf(specChanged, labelsChanged, annotationsChanged);

/** How urgent a change of an object is for its own key: a person who edits, creates or deletes something waits for it. */
export function urgency(change: Change<KubeObject>): Priority {
  if (change.type === "added" && change.known) return "low";
  return askedFor(change) ? "high" : "normal";
}

/** How urgent a change is for the keys of other objects: they are not what a person has just edited. */
export function indirectUrgency(change: Change<KubeObject>): Priority {
  return change.type === "added" && change.known ? "low" : "normal";
}

function differs(aspect: (metadata: ObjectMeta) => string): Predicate {
  return (change) =>
    change.type !== "updated" || aspect(change.object.metadata ?? {}) !== aspect(change.old.metadata ?? {});
}

function stable(record: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
}
