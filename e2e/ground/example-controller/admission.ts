import { allow, refuse, type ConfigMap, type MutatingHandler, type ValidatingHandler } from "@moco-ts/kube";
import { copiesAnnotation, maximumCopies } from "./names.ts";

/** Who does not say how many copies gets one. */
export const setDefault: MutatingHandler<ConfigMap> = (request) => {
  const { object } = request;
  if (object === undefined) return allow();
  const annotations = { [copiesAnnotation]: "1", ...object.metadata?.annotations };
  return { object: { ...object, metadata: { ...object.metadata, annotations } } };
};

export const checkCopies: ValidatingHandler<ConfigMap> = (request) => {
  if (request.object === undefined) return allow();
  const text = request.object.metadata?.annotations?.[copiesAnnotation] ?? "";
  const copies = Number(text);
  if (/^\d+$/.test(text) && copies <= maximumCopies) {
    return allow(copies === 0 ? ["no copies are asked for"] : []);
  }
  return refuse([
    {
      reason: "FieldValueInvalid",
      field: `metadata.annotations[${copiesAnnotation}]`,
      message: `must be a number from 0 to ${maximumCopies}`,
    },
  ]);
};
