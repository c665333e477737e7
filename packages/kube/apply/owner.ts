import { CodedError } from "@moco-ts/base";
import { keyOf, type KubeObject, type OwnerReference } from "../types/object.ts";
import { apiVersionOf, type Resource } from "../types/resource.ts";

/**
 * The reference that makes `owner` the controller of an object: it is deleted with its owner, and nobody else's
 * controller takes it over.
 */
export function controllerReference<T extends KubeObject>(resource: Resource<T>, owner: T): OwnerReference {
  const { name, uid } = owner.metadata ?? {};
  if (name === undefined || uid === undefined) {
    throw new CodedError(
      "OWNER_NOT_STORED",
      `${resource.kind} ${keyOf(owner)} has no UID: only stored objects can own`,
    );
  }
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The reference of the one owner that is the object's controller. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((each) => each.controller);
}

/**
 * Throws APPLY_FOREIGN_CONTROLLER if `live` belongs to another controller than `desired` names, and APPLY_FOREIGN_OBJECT
 * if it belongs to none and `manager` never wrote to it: somebody made it for another purpose.
 */
export function refuseForeign(resource: Resource, desired: KubeObject, live: KubeObject, manager: string): void {
  const [wanted, present] = [controllerOf(desired), controllerOf(live)];
  if (wanted === undefined || present?.uid === wanted.uid) return;
  const what = `${resource.kind} ${keyOf(live)}`;
  if (present !== undefined) {
    throw new CodedError(
      "APPLY_FOREIGN_CONTROLLER",
      `${what} is controlled by ${describe(present)}, not by ${describe(wanted)}: it is left alone`,
    );
  }
  if (live.metadata?.managedFields?.some((entry) => entry.manager === manager)) return;
  throw new CodedError(
    "APPLY_FOREIGN_OBJECT",
    `${what} was there before ${describe(wanted)} and is not its own: it is left alone. Delete or rename one of them`,
  );
}

function describe({ kind, name, uid }: OwnerReference): string {
  return `${kind} ${name} (uid ${uid})`;
}
