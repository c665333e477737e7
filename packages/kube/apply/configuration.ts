import { CodedError } from "@moco-ts/base";
import type { KubeObject, ObjectKey } from "../types/object.ts";
import { apiVersionOf, type Resource } from "../types/resource.ts";

/** Any part of T. An explicit null says that a field has to be without a value. */
export type PartOf<T> = T extends readonly (infer Item)[]
  ? PartOf<Item>[]
  : T extends object
    ? { [K in keyof T]?: PartOf<T[K]> | null }
    : T;

/** What one manager wants of an object: exactly the fields that it wants to own. */
export type Configuration<T extends KubeObject> = PartOf<Omit<T, "metadata">> & {
  metadata: PartOf<NonNullable<T["metadata"]>> & { name: string };
};

/** As it travels: plain JSON that names its kind. */
export function prepare<T extends KubeObject>(resource: Resource<T>, configuration: Configuration<T>): T {
  const plain = JSON.parse(JSON.stringify(configuration)) as T;
  const prepared = { ...plain, apiVersion: apiVersionOf(resource), kind: resource.kind };
  return resource.group === "" && resource.kind === "Secret" ? encodeSecret(prepared) : prepared;
}

/** `stringData` is never served, so nobody could tell whether it is as wanted. */
function encodeSecret<T extends KubeObject & { stringData?: Record<string, string>; data?: Record<string, string> }>(
  secret: T,
): T {
  const { stringData, ...rest } = secret;
  if (stringData === undefined) return secret;
  const encoded = Object.entries(stringData).map(([name, text]) => [name, Buffer.from(text).toString("base64")]);
  return { ...rest, data: { ...secret.data, ...Object.fromEntries(encoded) } } as T;
}

export function objectKeyOf(resource: Resource, object: KubeObject): ObjectKey {
  const { name, namespace } = object.metadata ?? {};
  if (!name) throw new CodedError("APPLY_WITHOUT_NAME", `a ${resource.kind} without a name can't be applied`);
  if (resource.namespaced && !namespace) {
    throw new CodedError("APPLY_WITHOUT_NAMESPACE", `${resource.kind} ${name} has no namespace`);
  }
  return resource.namespaced ? { name, namespace } : { name };
}
