import { readdirSync } from "node:fs";
import { join } from "node:path";
import { kubectl } from "@moco-ts/api/testing";
import { expect, test } from "vitest";
import { testAdmission } from "../testing/admission.ts";

const folder = join(import.meta.dirname, "../../../samples");
const samples = readdirSync(folder);

test("there are some", () => expect(samples).toContain("minimal.yaml"));

test.each(samples)("samples/%s can be applied, and applied again", async (name) => {
  const { namespace, start } = await testAdmission();
  await start();
  const apply = ["apply", "--namespace", namespace, "--validate=strict", "-f", join(folder, name)];
  expect(await kubectl(apply)).toMatchObject({ status: 0, problems: "" });
  // As people do who edit it.
  expect(await kubectl(apply)).toMatchObject({ status: 0, problems: "" });
  // Nobody is there who would end clusters.
  const clusters = await kubectl(["get", "mysqlclusters", "--namespace", namespace, "-o", "name"]);
  for (const cluster of clusters.output.split("\n").filter(Boolean)) {
    const patch = JSON.stringify({ metadata: { finalizers: null } });
    await kubectl(["patch", cluster, "--namespace", namespace, "--type=merge", "-p", patch]);
  }
});
