/** Steps that the API server does not allow, and controllers that die between any two of them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { conditionOf, patience, startOperatorCluster, Writer, type OperatorCluster } from "../testing/index.ts";
import { comesBack, edit, killControllers, running } from "./recreation.ts";
import { refuse, relent, type Step } from "./refusal.ts";
import type { Volumes } from "./volumes.ts";

let operator: OperatorCluster;
let volumes: Volumes;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "refusals" });
});
afterAll(() => operator?.down());

test("claims that the API server does not let grow: each reconcile tries again, says why, and is counted", async () => {
  volumes = await running(operator, "refused");
  const [pods, before] = [await volumes.podIdentities(), await volumes.statefulSet()];
  const text = "the budget of this team is used up";
  await refuse(operator, "refused", { resource: "persistentvolumeclaims", operation: "UPDATE" }, text);
  await edit(volumes, { storage: "4Gi" });
  await keepsRising("volume_resized_errors_total");
  expect(await conditionOf(operator, "refused", "ReconcileSuccess")).toMatchObject({
    status: "False",
    message: expect.stringContaining(text) as string,
  });
  expect(await operator.controllerLogs()).toContain(text);
  expect((await volumes.statefulSet()).metadata?.uid).toBe(before.metadata?.uid);

  await relent(operator);
  await expect.poll(() => volumes.sizes(), patience).toEqual({ "mysql-data-0": "4Gi 4Gi" });
  await comesBack(operator, volumes, before.metadata?.uid);
  expect(await volumes.podIdentities()).toEqual(pods);
});

test("a StatefulSet that the API server does not take back: Pods stay, and each attempt is counted until it does", async () => {
  const [pods, before] = [await volumes.podIdentities(), await volumes.statefulSet()];
  await refuse(operator, "refused", { resource: "statefulsets", operation: "CREATE" }, "no more of these today");
  await edit(volumes, { storage: "4Gi", annotations: { refused: "once" } });
  await keepsRising("statefulset_recreate_errors_total");
  await expect(volumes.statefulSet()).rejects.toThrow("not found");
  expect(await volumes.podIdentities()).toEqual(pods);

  await relent(operator);
  await comesBack(operator, volumes, before.metadata?.uid);
  expect(await volumes.podIdentities()).toEqual(pods);
});

test(
  "all controllers are killed between any two steps: all steps are taken, no Pod restarts, no row is lost",
  { timeout: 900_000 },
  async () => {
    const writer = await Writer.start(operator, "refused");
    const pods = await volumes.podIdentities();
    const steps: readonly Step[] = [
      { resource: "persistentvolumeclaims", operation: "UPDATE" },
      { resource: "controllerrevisions", operation: "CREATE" },
      { resource: "statefulsets", operation: "DELETE" },
      { resource: "statefulsets", operation: "CREATE" },
      { resource: "statefulsets", operation: "UPDATE" },
      { resource: "controllerrevisions", operation: "DELETE" },
    ];
    for (const [index, step] of steps.entries()) {
      const before = await volumes.statefulSet();
      const message = `not before ${step.operation} of ${step.resource}`;
      await refuse(operator, "refused", step, message);
      await edit(volumes, { storage: `${index + 5}Gi`, annotations: { step: String(index) } });
      // All steps before this one have been taken.
      await expect.poll(() => operator.controllerLogs(), patience).toContain(message);
      await killControllers(operator);
      expect(await volumes.podIdentities(), message).toEqual(pods);
      await relent(operator);
      await comesBack(operator, volumes, before.metadata?.uid);
      await expect.poll(() => volumes.sizes(), patience).toEqual({ "mysql-data-0": `${index + 5}Gi ${index + 5}Gi` });
      expect(await volumes.podIdentities(), message).toEqual(pods);
      const { spec } = await volumes.statefulSet();
      const apart = { volumeClaimTemplates: [] };
      expect({ ...spec, ...apart }, message).toEqual({ ...before.spec, ...apart });
    }
    const { acknowledged, lost, pauses } = await writer.stop();
    console.info(`killed at each step: ${acknowledged} rows acknowledged, longest pause ${pauses[0]} ms`);
    expect(lost).toEqual([]);
  },
);

/** Not only once: people are told as long as it lasts. */
async function keepsRising(counter: string): Promise<void> {
  const before = await volumes.counter(counter);
  await expect.poll(() => volumes.counter(counter), patience).toBeGreaterThan(before + 2);
}
