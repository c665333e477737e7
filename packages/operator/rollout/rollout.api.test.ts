/** Rolling updates with Kubernetes' own StatefulSet controller. Kubelets and clustering are played by the tests. */
import { ConfigMaps, Events, Pods, type Pod } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { instanceOrdinal } from "../pods.ts";
import { createUnborn, createWorld, patience, unhurried, versionOf } from "./testing/world.ts";

test("one pod after the other, from the highest ordinal; the primary hands over first", unhurried, async () => {
  const { world, controller } = await createWorld();
  await world.editTemplate("2");
  await world.rolledOut("2", 3);
  expect(world.kubelet.mostDown()).toBe(1);
  expect(world.clustering.switchovers).toEqual(["0 -> 1"]);
  await expect.poll(() => world.partitionUpdates(), patience).toEqual(["3 -> 2", "2 -> 1", "1 -> 0"]);
  expect(await world.rolloutStatus()).toBe("partitioned roll out complete: 3 new pods have been updated...");
  await expect.poll(() => world.told(), patience).toBe("False UpToDate all pods are of the newest revision");
  const metrics = await controller.metrics();
  const series = (name: string) =>
    Number(new RegExp(`moco_cluster_${name}{name="c",namespace="${world.key.namespace}"} (.*)`).exec(metrics)?.[1]);
  expect([series("current_replicas"), series("updated_replicas")]).toEqual([3, 3]);
  expect(series("last_partition_updated") * 1000).toBeGreaterThan(Date.now() - 300_000);
});

test("a primary with the highest ordinal hands over twice", unhurried, async () => {
  const { world } = await createWorld();
  world.clustering.prefer(2);
  await world.demote(0);
  world.clustering.prefer(undefined);
  await world.editTemplate("2");
  await world.rolledOut("2", 3);
  expect(world.clustering.switchovers).toEqual(["0 -> 2", "2 -> 0", "0 -> 1"]);
  expect(world.kubelet.mostDown()).toBe(1);
});

test("one pod is down, then the template changes: never two are down", unhurried, async () => {
  const { world } = await createWorld();
  await world.kubelet.decide((pod) => (instanceOrdinal(pod) === 0 ? "not-ready" : "ready"));
  await world.editTemplate("2");
  const waiting = "False RollingOut 0 of 3 pods are updated: moco-c-0 is not Ready";
  await expect.poll(() => world.told(), patience).toBe(waiting);
  expect([await world.partition(), ...(await world.versions())]).toEqual([3, "-", "-", "-"]);
  expect(await world.rolloutStatus()).toBe("Waiting for 1 pods to be ready...");
  await world.kubelet.decide(() => "ready");
  await world.rolledOut("2", 3);
  expect(world.kubelet.mostDown()).toBe(1);
});

test("the same with the force annotation: two are down", unhurried, async () => {
  const { world } = await createWorld();
  await world.annotate("forceRollingUpdate", "true");
  await world.kubelet.decide((pod) => (versionOf(pod) === "-" && instanceOrdinal(pod) > 0 ? "ready" : "not-ready"));
  await world.editTemplate("2");
  await expect.poll(() => world.versions(), patience).toEqual(["-", "-", "2"]);
  await expect.poll(() => world.kubelet.mostDown(), patience).toBe(2);
  await world.kubelet.decide(() => "ready");
  await world.rolledOut("2", 3);
  expect(world.clustering.switchovers).toEqual([]);
});

test("an updated pod that fails stops the rollout, and a corrected manifest starts it again", unhurried, async () => {
  const { world, controller } = await createWorld();
  await world.kubelet.decide((pod) => (versionOf(pod) === "wrong" ? "image" : "ready"));
  await world.editTemplate("wrong");
  await expect
    .poll(() => world.told(), patience)
    .toMatch(/^True PodFailed moco-c-2 was updated and fails: container mysqld/);
  expect(await world.told()).toMatch(/Correct the MySQLCluster: the rollout then starts again with this Pod/);
  expect(await world.versions()).toEqual(["-", "-", "wrong"]);
  expect(await world.rolloutStatus()).toBe("Waiting for 1 pods to be ready...");
  const events = async () => (await world.client.list(Events, { namespace: world.key.namespace })).items;
  const stopped = async () => (await events()).filter(({ reason }) => reason === "RolloutStopped");
  await expect.poll(stopped, patience).toMatchObject([{ type: "Warning", involvedObject: { kind: "MySQLCluster" } }]);
  const series = new RegExp(`^moco_cluster_rollout_stopped\\{.*namespace="${world.key.namespace}".*\\} (\\d)$`, "m");
  const metric = async () => series.exec(await controller.metrics())?.[1];
  expect(await metric()).toBe("1");

  await world.editTemplate("right");
  await world.rolledOut("right", 3);
  expect(world.kubelet.mostDown()).toBe(1);
  await expect.poll(() => world.told(), patience).toMatch(/^False UpToDate/);
  expect(await metric()).toBe("0");
});

test("an updated pod that recovers lets the rollout go on by itself", unhurried, async () => {
  const { world } = await createWorld();
  await world.kubelet.decide((pod) => (versionOf(pod) === "2" ? "image" : "ready"));
  await world.editTemplate("2");
  await expect.poll(() => world.told(), patience).toMatch(/^True PodFailed/);
  await world.kubelet.decide(() => "ready");
  await world.rolledOut("2", 3);
});

test("a partition that a person sets is honoured", unhurried, async () => {
  const { world } = await createWorld();
  await world.clustering.overrule(false);
  await world.editTemplate("2");
  await expect.poll(() => world.told(), patience).toMatch(/0 of 3 pods are updated: the cluster is not Healthy/);
  await world.setPartition(2);
  await expect.poll(() => world.told(), patience).toMatch(/1 of 3 pods are updated: the cluster is not Healthy/);
  expect([await world.partition(), ...(await world.versions())]).toEqual([2, "-", "-", "2"]);
  expect(await world.rolloutStatus()).toBe("partitioned roll out complete: 1 new pods have been updated...");
  await world.clustering.overrule(undefined);
  await world.rolledOut("2", 3);
});

test("a controller that is restarted during a rollout goes on with it", unhurried, async () => {
  const { world, controller } = await createWorld();
  await world.kubelet.decide((pod) => (versionOf(pod) === "2" ? "starting" : "ready"));
  await world.editTemplate("2");
  await expect.poll(() => world.versions(), patience).toEqual(["-", "-", "2"]);
  await controller.stop();
  await world.kubelet.decide(() => "ready");
  await world.startController();
  await world.rolledOut("2", 3);
  expect(world.kubelet.mostDown()).toBe(1);
});

test("a pod that is deleted by hand during a rollout comes back as it was, and is waited for", unhurried, async () => {
  const { world } = await createWorld();
  await world.kubelet.decide((pod) => (versionOf(pod) === "2" ? "starting" : "ready"));
  await world.editTemplate("2");
  await expect.poll(() => world.versions(), patience).toEqual(["-", "-", "2"]);
  await world.kubelet.decide((pod) => (instanceOrdinal(pod) === 1 ? "starting" : "ready"));
  await world.client.delete(Pods, { ...world.key, name: "moco-c-1" });
  await expect.poll(() => world.told(), patience).toMatch(/1 of 3 pods are updated: moco-c-1 is not Ready/);
  expect([await world.partition(), ...(await world.versions())]).toEqual([2, "-", "-", "2"]);
  await world.kubelet.decide(() => "ready");
  await world.rolledOut("2", 3);
});

test("a pod that its node evicts during a rollout comes back as it was, and is waited for", unhurried, async () => {
  const { world } = await createWorld();
  await world.kubelet.decide((pod) => (versionOf(pod) === "2" ? "starting" : "ready"));
  await world.editTemplate("2");
  await expect.poll(() => world.versions(), patience).toEqual(["-", "-", "2"]);
  const uid = async () => (await world.pods())[1]?.metadata?.uid;
  const before = await uid();
  await world.kubelet.decide((pod) => (pod.metadata?.uid === before ? "evicted" : isFirst(pod) ? "ready" : "starting"));
  await expect.poll(uid, patience).not.toBe(before);
  await expect.poll(() => world.versions(), patience).toEqual(["-", "-", "2"]);
  expect(await world.partition()).toBe(2);
  await world.kubelet.decide(() => "ready");
  await world.rolledOut("2", 3);
});

test("what pods of the older revision mount stays until they are updated", unhurried, async () => {
  const { world } = await createWorld();
  const { namespace } = world.key;
  const configured = async () =>
    (await world.client.list(ConfigMaps, { namespace })).items.filter(({ metadata }) =>
      metadata?.name?.startsWith("moco-slow-log-agent-config-c."),
    ).length;
  expect(await configured()).toBe(1);
  await world.kubelet.decide((pod) => (versionOf(pod) === "2" ? "starting" : "ready"));
  await world.editTemplate("2", { slowQueryLogConfigTmpl: "[INPUT]\n  Name tail\n  Path {{ .Path }}\n" });
  await expect.poll(() => world.versions(), patience).toEqual(["-", "-", "2"]);
  expect(await configured()).toBe(2);
  await world.kubelet.decide(() => "ready");
  await world.rolledOut("2", 3);
  await expect.poll(configured, patience).toBe(1);
});

test("a cluster that never worked gets a corrected manifest on all its pods", unhurried, async () => {
  // Replicas that work are not Ready before there is a primary.
  const world = await createUnborn((pod) => (instanceOrdinal(pod) === 0 ? "image" : "starting"));
  await expect.poll(() => world.versions(), patience).toEqual(["-", "-", "-"]);
  await world.editTemplate("2");
  await expect.poll(() => world.versions(), patience).toEqual(["2", "2", "2"]);
  await world.kubelet.decide(() => "ready");
  await world.rolledOut("2", 3);
});

function isFirst(pod: Pod): boolean {
  return versionOf(pod) === "-";
}
