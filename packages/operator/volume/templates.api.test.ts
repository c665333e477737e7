/** Claim templates that come and go together with what mounts them. */
import { claimTemplate } from "@moco-ts/api/testing";
import { Pods, type StatefulSet } from "@moco-ts/kube";
import { expect, onTestFinished, test } from "vitest";
import { startProcess } from "./testing/process.ts";
import { dataTemplate, patience, runningCluster, setPartition, surroundings } from "./testing/surroundings.ts";
import type { RunningCluster } from "./testing/surroundings.ts";

const mysqld = { name: "mysqld", image: "mysql:8.4" };
const mounting = { ...mysqld, volumeMounts: [{ name: "logs", mountPath: "/logs" }] };

test("a template is added with its mount: Pods stay until they are updated", async () => {
  const { client, namespace, classes } = await surroundings();
  const [data, logs] = [dataTemplate(classes.growing), claimTemplate("logs", "1Gi", classes.growing)];
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [data] });
  const pods = await cluster.podIdentities();
  await cluster.edit({ volumeClaimTemplates: [data, logs], podTemplate: { spec: { containers: [mounting] } } });
  const process = await startProcess(client);
  await process.reconcileUntilDone(cluster.key);
  expect(namesOf(await cluster.settled())).toEqual(["mysql-data", "logs"]);
  expect(await cluster.podIdentities()).toEqual(pods);
});

test("a template is removed with its mount: it goes when the last Pod that mounts it is updated", async () => {
  const { client, namespace, classes } = await surroundings();
  const [data, logs] = [dataTemplate(classes.growing), claimTemplate("logs", "1Gi", classes.growing)];
  const cluster = await runningCluster(client, namespace, {
    volumeClaimTemplates: [data, logs],
    podTemplate: { spec: { containers: [mounting] } },
  });
  keepRunning(cluster);
  const pods = await cluster.podIdentities();
  await cluster.edit({ volumeClaimTemplates: [data], podTemplate: { spec: { containers: [mysqld] } } });
  const process = await startProcess(client);
  await process.reconcileUntilDone(cluster.key);
  expect(namesOf(await cluster.settled())).toEqual(["mysql-data", "logs"]);
  expect(await cluster.podIdentities()).toEqual(pods);

  // One that has to be made again in the meantime mounts it still.
  await client.delete(Pods, { namespace, name: "moco-c-0" });
  await expect.poll(async () => (await cluster.podIdentities()).length, patience).toBe(3);
  const revisions = async () => (await cluster.podIdentities()).map((each) => each.split(" ")[2]);
  expect(new Set(await revisions()).size).toBe(1);
  expect((await process.reconcileUntilDone(cluster.key)).recreated).toBe(false);

  await setPartition(cluster, 0);
  const isUpdated = async () => {
    const { status } = await cluster.statefulSet();
    return status?.currentRevision === status?.updateRevision && status?.updatedReplicas === 3;
  };
  await expect.poll(isUpdated, patience).toBe(true);
  await cluster.settled();
  const updated = await cluster.podIdentities();
  const removed = async () => {
    await process.reconcileUntilDone(cluster.key);
    return namesOf(await cluster.statefulSet());
  };
  await expect.poll(removed, patience).toEqual(["mysql-data"]);
  await cluster.settled();
  expect(await cluster.podIdentities()).toEqual(updated);
});

function namesOf({ spec }: StatefulSet): (string | undefined)[] {
  return (spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name);
}

/** There is no kubelet here: somebody has to say that Pods run. Ends with the test. */
function keepRunning(cluster: RunningCluster): void {
  const { client, key } = cluster;
  const conditions = [{ type: "Ready", status: "True" }];
  const visit = async (): Promise<void> => {
    for (const { metadata, status } of await cluster.pods()) {
      if (status?.phase === "Running") continue;
      const [name, body] = [metadata?.name ?? "", { status: { phase: "Running", conditions } }];
      const options = { subresource: "status" };
      // Gone since it was listed, or changed: looked at again soon.
      await client.patch(Pods, { ...key, name }, { type: "merge", body }, options).catch(() => undefined);
    }
  };
  const timer = setInterval(() => void visit(), 100);
  onTestFinished(() => clearInterval(timer));
}
