import { annotationKeys, MySQLClusters } from "@moco-ts/api";
import { expect, test } from "vitest";
import { annotationKeys as ofClaims } from "../../packages/autoresizer/annotations.ts";
import { readPage } from "./pages.ts";

test("every annotation of clusters is explained", () => {
  const { prose } = readPage("docs/usage.md");
  expect(Object.values(annotationKeys).filter((key) => !prose.includes(`\`${key}`))).toEqual([]);
});

test("every annotation of claims is explained", () => {
  const { prose } = readPage("docs/autoresizer.md");
  expect(Object.values(ofClaims).filter((key) => !prose.includes(`\`${key}`))).toEqual([]);
});

test("pages speak of the API version that there is", () => {
  expect(readPage("docs/api/mysqlcluster.md").prose).toContain(`${MySQLClusters.group}/${MySQLClusters.version}`);
});
