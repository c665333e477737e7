/** Tells a program which instance it belongs to. */
export const podNameVariable = {
  name: "POD_NAME",
  valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } },
};
