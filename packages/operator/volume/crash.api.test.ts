/** The controller dies between any two steps: the StatefulSet comes back, and no Pod notices. */
import { describeError } from "@moco-ts/base";
import { expect, test } from "vitest";
import { mortal, type Death } from "./testing/mortal.ts";
import { startProcess } from "./testing/process.ts";
import {
  beginUpdate,
  dataTemplate,
  ownership,
  runningCluster,
  surroundings,
  type RunningCluster,
} from "./testing/surroundings.ts";

test("at any request of a StatefulSet made anew", { timeout: 300_000 }, async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const deaths = await dieEverywhere(cluster, classes.growing, [
    "rehearse create StatefulSet",
    "create ControllerRevision",
    "delete StatefulSet",
    "create StatefulSet",
    "patch StatefulSet managedFields",
    "delete ControllerRevision",
  ]);
  expect(deaths).toBe(12);
});

test("at any request in the middle of a rolling update", { timeout: 300_000 }, async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  await beginUpdate(cluster);
  const deaths = await dieEverywhere(cluster, classes.growing, [
    "rehearse create StatefulSet",
    "create ControllerRevision",
    "delete StatefulSet",
    "create StatefulSet",
    "patch StatefulSet template",
    "patch StatefulSet managedFields",
    "delete ControllerRevision",
  ]);
  expect(deaths).toBe(14);
});

test("between the claims: those that are left grow, and then the StatefulSet is made anew", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const before = await cluster.statefulSet();
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "2Gi")] });
  await live(cluster, { step: "patch PersistentVolumeClaim", nth: 2, when: "before" });
  expect(await cluster.sizes()).toEqual(["2Gi", "1Gi", "1Gi"]);
  expect((await cluster.statefulSet()).metadata?.uid).toBe(before.metadata?.uid);
  await recover(cluster);
  expect(await cluster.sizes()).toEqual(["2Gi", "2Gi", "2Gi"]);
  expect((await cluster.settled()).metadata?.uid).not.toBe(before.metadata?.uid);
});

/** One round without a death, and two for each request: before and after the server has carried it out. Returns the deaths. */
async function dieEverywhere(cluster: RunningCluster, storageClass: string, steps: readonly string[]): Promise<number> {
  const deaths = steps.flatMap((step) => [{ step, when: "before" } as const, { step, when: "after" } as const]);
  for (const [round, death] of [undefined, ...deaths].entries()) {
    const [before, pods] = [await cluster.settled(), await cluster.podIdentities()];
    const annotations = { round: String(round) };
    await cluster.edit({ volumeClaimTemplates: [dataTemplate(storageClass, "1Gi", { annotations })] });
    const made = await live(cluster, death);
    const where = death ? `died ${death.when} ${death.step}` : "lived";
    // Where Kubernetes writes at the same time, a request is made again.
    const last = death ? steps.indexOf(death.step) : steps.length;
    expect([...new Set(made)], where).toEqual(steps.slice(0, last + 1));
    expect(await cluster.podIdentities(), where).toEqual(pods);

    if (death !== undefined) await recover(cluster);
    const after = await cluster.settled();
    expect(await cluster.podIdentities(), where).toEqual(pods);
    expect(after.metadata?.uid, where).not.toBe(before.metadata?.uid);
    expect(after.spec?.volumeClaimTemplates?.[0]?.metadata?.annotations, where).toEqual(annotations);
    expect({ ...after.spec, volumeClaimTemplates: [] }, where).toEqual({ ...before.spec, volumeClaimTemplates: [] });
    expect(after.status?.updateRevision, where).toBe(before.status?.updateRevision);
    expect(after.status?.currentRevision, where).toBe(before.status?.currentRevision);
    expect(new Set(ownership(after)), where).toEqual(new Set(ownership(before)));
    expect(await cluster.records(), where).toBe(0);
  }
  return deaths.length;
}

/** A process that looks once, and dies where it is told to. Returns its requests. */
async function live(cluster: RunningCluster, death: Death | undefined): Promise<string[]> {
  const { client, made, isDead } = mortal(cluster.client, death);
  const process = await startProcess(client);
  const ended = await process.reconcile(cluster.key).catch(describeError);
  process.stop();
  expect(isDead(), `died of ${JSON.stringify(death)}, but ${JSON.stringify(ended)}`).toBe(death !== undefined);
  return made;
}

async function recover(cluster: RunningCluster): Promise<void> {
  const process = await startProcess(cluster.client);
  await process.reconcileUntilDone(cluster.key);
  process.stop();
}
