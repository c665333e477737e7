import { expect, test } from "vitest";
import { emitTypes } from "./emit.ts";
import { readSpecification } from "./specification.ts";

const metadata = { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] };

const documents: Readonly<Record<string, unknown>> = {
  "/openapi/v3/api/v1": {
    components: {
      schemas: {
        "io.k8s.api.core.v1.Shelf": {
          description: "Not ours to copy.",
          type: "object",
          required: ["books"],
          properties: {
            metadata,
            "x-odd": { type: "boolean" },
            books: { type: "array", items: { $ref: "#/components/schemas/io.k8s.api.library.v1.Book" } },
            labels: { type: "object", additionalProperties: { type: "string" } },
            ports: {
              type: "array",
              items: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString" },
            },
          },
          "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Shelf" }],
        },
        "io.k8s.api.library.v1.Book": {
          type: "object",
          properties: {
            printed: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Time" }] },
            pages: { type: "integer" },
          },
        },
        "io.k8s.api.library.v1.Unused": { type: "object" },
      },
    },
  },
  "/api/v1": { resources: [{ name: "shelfs", kind: "Shelf", namespaced: true }] },
  "/openapi/v3/apis/attic.k8s.io/v1": {
    components: {
      schemas: {
        "io.k8s.api.attic.v1.Shelf": {
          type: "object",
          properties: { metadata },
          "x-kubernetes-group-version-kind": [{ group: "attic.k8s.io", version: "v1", kind: "Shelf" }],
        },
      },
    },
  },
  "/apis/attic.k8s.io/v1": { resources: [{ name: "shelfs", kind: "Shelf", namespaced: false }] },
};

async function emitted(): Promise<ReadonlyMap<string, string>> {
  const selection = ["v1", "attic.k8s.io/v1"].map((apiVersion) => ({ apiVersion, kinds: ["Shelf"] }));
  return emitTypes(await readSpecification(selection, async (path) => documents[path]));
}

test("a kind becomes an interface and a descriptor, with what it refers to and nothing else", async () => {
  const files = await emitted();
  expect(files.get("core-v1.ts")).toBe(
    `// Generated from the API server's OpenAPI by \`make generate\`. Changes by hand are lost.

import { defineResource } from "../resource.ts";
import type { ObjectMeta } from "../object.ts";
import type { Book } from "./library-v1.ts";

export interface Shelf {
  books: Book[];
  labels?: Record<string, string>;
  metadata?: ObjectMeta;
  ports?: (number | string)[];
  "x-odd"?: boolean;
}

export const Shelfs = defineResource<Shelf>("v1", "Shelf", "shelfs");
`,
  );
  expect(files.get("library-v1.ts")).toContain("export interface Book {\n  pages?: number;\n  printed?: string;\n}");
  expect([...files.values()].join("")).not.toMatch(/Unused|Not ours/);
});

test("names that two groups use are exported with the group in front, and the core group keeps its own", async () => {
  const files = await emitted();
  expect(files.get("attic-v1.ts")).toContain('defineResource<Shelf>("attic.k8s.io/v1", "Shelf", "shelfs", "Cluster")');
  expect(files.get("index.ts")).toContain('export type {\n  Shelf,\n} from "./core-v1.ts";');
  expect(files.get("index.ts")).toContain("  Shelf as AtticV1Shelf,\n");
  expect(files.get("index.ts")).toContain("  Shelfs as AtticV1Shelfs,\n");
});

test("a kind that the server does not serve is an error that names it", async () => {
  const selection = [{ apiVersion: "v1", kinds: ["Sofa"] }];
  await expect(readSpecification(selection, async (path) => documents[path])).rejects.toThrow("v1 Sofa");
});
