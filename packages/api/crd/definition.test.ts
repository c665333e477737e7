import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { expand, type KubernetesSchemas, type Schema } from "./schema.ts";

const text = { type: "string", description: "told by Kubernetes", default: "" };
const reference = (name: string) => ({ default: {}, allOf: [{ $ref: `#/components/schemas/${name}` }] });
const keyed = (keys: readonly string[], item: string) => ({
  type: "array",
  items: reference(item),
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  "x-kubernetes-patch-strategy": "merge",
});

const schemas: KubernetesSchemas = {
  Pod: {
    type: "object",
    description: "a Pod",
    required: ["containers", "image"],
    properties: {
      containers: keyed(["name"], "Container"),
      metadata: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
    },
  },
  Container: {
    type: "object",
    required: ["name", "image"],
    properties: {
      name: text,
      image: text,
      policy: { ...text, enum: ["Always", "Never"] },
      env: keyed(["name"], "Container"),
      size: reference("io.k8s.apimachinery.pkg.api.resource.Quantity"),
      port: reference("io.k8s.apimachinery.pkg.util.intstr.IntOrString"),
      selector: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
    },
  },
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
    type: "object",
    properties: { name: text, managedFields: { type: "array", items: text }, selfLink: text },
  },
};
// Not endless: the one inside has no variables.
const inner = { type: "object", properties: { name: text } };

test("a schema of Kubernetes' becomes part of a definition", () => {
  const withoutRecursion = {
    ...schemas,
    Container: {
      ...schemas["Container"],
      properties: { ...schemas["Container"]!.properties, env: { ...keyed(["name"], ""), items: inner } },
    },
  };
  expect(expand("Pod", withoutRecursion)).toEqual({
    type: "object",
    properties: {
      containers: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: {
          type: "object",
          required: ["name"],
          properties: {
            name: { type: "string" },
            image: { type: "string" },
            policy: { type: "string" },
            env: {
              type: "array",
              "x-kubernetes-list-type": "atomic",
              items: { type: "object", properties: { name: { type: "string" } } },
            },
            size: expect.objectContaining({ "x-kubernetes-int-or-string": true, pattern: expect.any(String) }),
            port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
            selector: {
              type: "object",
              additionalProperties: { type: "string" },
              "x-kubernetes-map-type": "atomic",
            },
          },
        },
      },
      metadata: { type: "object", properties: { name: { type: "string" } } },
    },
  });
});

test("a schema that the API server does not have is missed", () => {
  expect(() => expand("Nothing", schemas)).toThrow("the API server does not describe Nothing");
});

const crds = join(import.meta.dirname, "../../../charts/moco/generated/crds");

test.each(["mysqlclusters", "backuppolicies"])("%s can be installed with a plain kubectl apply", (plural) => {
  const definition = parse(readFileSync(join(crds, `${plural}.moco.cybozu.com.yaml`), "utf8"));
  // It keeps the whole object in an annotation, and annotations have 256 KiB.
  expect(JSON.stringify(definition).length).toBeLessThan(200 * 1024);
});

test("every field of ours is described, and of Kubernetes' none", () => {
  const definition = parse(readFileSync(join(crds, "mysqlclusters.moco.cybozu.com.yaml"), "utf8"));
  const { properties }: Schema = definition.spec.versions[0].schema.openAPIV3Schema;
  const { spec, status } = properties!;
  for (const [name, field] of Object.entries({ ...spec!.properties, ...status!.properties })) {
    expect(field["description"], name).toMatch(/\S/);
  }
  const pod = spec!.properties!["podTemplate"]!.properties!["spec"]!;
  expect(JSON.stringify(pod.properties)).not.toContain("description");
});
