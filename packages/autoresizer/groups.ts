import type { PersistentVolumeClaim } from "@moco-ts/kube";
import { annotationKeys, type AnnotationKey } from "./annotations.ts";
import { annotation } from "./decision/policy.ts";
import { requestOf } from "./decision/snapshot.ts";

/** The label that an annotation names, with the claim's value for it, which is "" if it lacks the label. */
export interface GroupLabel {
  readonly key: string;
  readonly value: string;
}

/** What group a claim wants to be in, by one of the annotations that name a label. */
export function groupLabelOf(claim: PersistentVolumeClaim, annotationKey: AnnotationKey): GroupLabel | undefined {
  const key = annotation(claim, annotationKey);
  return key ? { key, value: claim.metadata?.labels?.[key] ?? "" } : undefined;
}

/** Groups that grow together, with the largest request in each. Only claims that carry the annotation are members. */
export class GrowingGroups {
  readonly #requests = new Map<string, bigint>();

  constructor(claims: Iterable<PersistentVolumeClaim>) {
    for (const claim of claims) {
      const group = growingGroupOf(claim);
      // The others need not follow one that is about to go.
      if (group === undefined || claim.metadata?.deletionTimestamp !== undefined) continue;
      const request = requestOf(claim);
      if (request > (this.#requests.get(group) ?? 0n)) this.#requests.set(group, request);
    }
  }

  /** The largest request in the claim's group, if it has one. */
  requestFor(claim: PersistentVolumeClaim): bigint | undefined {
    const group = growingGroupOf(claim);
    return group === undefined ? undefined : this.#requests.get(group);
  }
}

function growingGroupOf(claim: PersistentVolumeClaim): string | undefined {
  const label = groupLabelOf(claim, annotationKeys.resizeGroupBy);
  return label?.value ? `${claim.metadata?.namespace}/${label.key}=${label.value}` : undefined;
}
