import { backupPolicyDefinition, mysqlClusterDefinition } from "@moco-ts/api/crd";
import { expect, test } from "vitest";
import { describeKind, namesOnly } from "./reference.ts";

const page = describeKind(mysqlClusterDefinition(namesOnly));

test("a field has its type, its default and its meaning", () => {
  expect(page).toContain("| `replicas` | integer | `1` | Number of instances: an odd number. It can't be lowered. |");
  expect(page).toContain(
    "| `mysqlConfigMapName` | string |  | ConfigMap whose keys and values are mysqld options. May be null. |",
  );
});

test("a field that has to be given says so", () => {
  expect(page).toMatch(/\| `podTemplate` \| \[object\]\(#specpodtemplate\) \| required \|/);
});

test("Kubernetes' own types are named, and go no further", () => {
  expect(page).toMatch(/\| `spec` \| PodSpec \| required \|/);
  expect(page).not.toContain("tolerations");
});

test("objects in lists have a section of their own", () => {
  expect(page).toContain("### spec.podTemplate.overwriteContainers[]");
});

test("words and signs that Markdown would take for its own are not", () => {
  expect(describeKind(backupPolicyDefinition(namesOnly))).toContain(String.raw`such as 0 3 \* \* \* or @daily`);
});
