import { join } from "node:path";
import { annotationKeys } from "@moco-ts/api";
import { kubectl, testClient, testNamespace } from "@moco-ts/api/testing";
import { Pods, ServiceAccounts } from "@moco-ts/kube";
import { expect, onTestFinished, test } from "vitest";

const policy = join(import.meta.dirname, "../../../charts/moco/templates/moco-delete-validator.yaml");
const patience = { timeout: 60_000, interval: 200 };

test("a Pod with the annotation can't be deleted until it is gone", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  expect(await kubectl(["apply", "-f", policy])).toMatchObject({ status: 0, problems: "" });
  onTestFinished(async () => {
    await kubectl(["delete", "-f", policy]);
  });
  await expect.poll(() => client.get(ServiceAccounts, { namespace, name: "default" }), patience).toBeDefined();
  const spec = { containers: [{ name: "mysqld", image: "mysql:8.4" }] };
  const pod = (name: string, annotations: Record<string, string>) =>
    client.create(Pods, { metadata: { name, namespace, annotations }, spec });
  await pod("moco-test-0", { [annotationKeys.preventDelete]: "true" });
  await pod("moco-test-1", { [annotationKeys.preventDelete]: "false" });
  await pod("moco-test-2", {});
  const remove = (name: string, dryRun: boolean) =>
    client.delete(Pods, { namespace, name }, { gracePeriodSeconds: 0, dryRun }).then(
      () => "deleted",
      (error: unknown) => (error as Error).message,
    );

  // The API server takes a moment to hear of the policy.
  await expect.poll(() => remove("moco-test-0", true), patience).toMatch(/moco-test-0 is protected from deletion$/);
  expect(await remove("moco-test-0", false)).toMatch(/moco-test-0 is protected from deletion$/);
  expect(await remove("moco-test-1", false)).toBe("deleted");
  expect(await remove("moco-test-2", false)).toBe("deleted");
  const body = { metadata: { annotations: { [annotationKeys.preventDelete]: null } } };
  await client.patch(Pods, { namespace, name: "moco-test-0" }, { type: "merge", body });
  expect(await remove("moco-test-0", false)).toBe("deleted");
});
