/** What the webhook does to StatefulSets, what dashboards see, and the order of Pods: by a cluster of eleven instances. */
import { annotationKeys } from "@moco-ts/api";
import type { Event, StatefulSet } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  metric,
  podsOf,
  primaryPod,
  startOperatorCluster,
  waitForCondition,
  type OperatorCluster,
} from "../testing/index.ts";
import { healthyCluster, partition, rolledOut, rolloutPatience, template, unhurried, versions } from "./clusters.ts";
import { whileWriting } from "./interruptions.ts";
import { Members } from "./members.ts";

const replicas = 11;
let operator: OperatorCluster;

beforeAll(async () => {
  // A node of a small machine does not take that many.
  operator = await startOperatorCluster({ name: "rollout-rules", nodes: 2 });
});
afterAll(() => operator?.down());

const statefulSet = () => operator.get<StatefulSet>("statefulset", "moco-eleven");
const rollingUpdateOf = ({ spec }: StatefulSet) => spec?.updateStrategy?.rollingUpdate;
const family = (name: string) => metric(operator, `moco_cluster_${name}{name="eleven",namespace="default"}`);

/** What would be stored of a change by hand. */
async function patched(patch: object): Promise<StatefulSet> {
  const args = ["patch", "statefulset", "moco-eleven", "--dry-run=server", "-o", "json", "-p", JSON.stringify(patch)];
  return JSON.parse(await operator.kubectl(...args)) as StatefulSet;
}

test("a StatefulSet is created with a partition of all replicas, which go when all is well", unhurried, async () => {
  await healthyCluster(operator, "eleven", replicas);
  const { metadata, spec } = await statefulSet();
  const { labels, ownerReferences } = metadata!;
  const copy = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "copy", labels, ownerReferences },
    spec,
  };
  const input = JSON.stringify(copy);
  const stored = await operator.local.kubectl(["create", "--dry-run=server", "-o", "json", "-f", "-"], { input });
  expect(rollingUpdateOf(JSON.parse(stored) as StatefulSet)).toEqual({ partition: replicas });
});

test("a change of nothing but the partition is left alone, and any other of the spec raises it", async () => {
  const alone = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 4 } } };
  expect(rollingUpdateOf(await patched({ spec: alone }))).toEqual({ partition: 4 });
  const withTemplate = { ...alone, template: { metadata: { annotations: { version: "by hand" } } } };
  expect(rollingUpdateOf(await patched({ spec: withTemplate }))).toEqual({ partition: replicas });
  expect(rollingUpdateOf(await patched({ spec: { minReadySeconds: 7 } }))).toEqual({ partition: replicas });
});

test("changes of its metadata and of its status are no change", unhurried, async () => {
  const before = await statefulSet();
  await operator.kubectl("annotate", "statefulset", "moco-eleven", "seen-by=a-person");
  await operator.kubectl("label", "statefulset", "moco-eleven", "team=shop");
  const replica = (await primaryPod(operator, "eleven")) === "moco-eleven-5" ? "moco-eleven-6" : "moco-eleven-5";
  await operator.kubectl("delete", "pod", replica);
  await expect.poll(async () => (await statefulSet()).status?.readyReplicas, rolloutPatience).toBe(replicas - 1);
  await expect.poll(async () => (await statefulSet()).status?.readyReplicas, rolloutPatience).toBe(replicas);
  await waitForCondition(operator, "eleven", "Healthy", "True", 600_000);
  const { metadata, spec } = await statefulSet();
  expect(metadata?.annotations).toMatchObject({ "seen-by": "a-person" });
  expect(spec).toEqual(before.spec);
  expect(rollingUpdateOf(before)).toEqual({ partition: 0 });
});

test("ordinals are numbers: ten comes before nine, one at a time, and dashboards can follow", unhurried, async () => {
  const members = await Members.follow(operator, "eleven", replicas);
  const began = Math.floor(Date.now() / 1_000);
  await whileWriting(operator, "eleven", async () => {
    await operator.patch("eleven", template("2"));
    await expect.poll(() => partition(operator, "eleven"), rolloutPatience).toBe(replicas - 2);
    const [current, updated] = [await family("current_replicas"), await family("updated_replicas")];
    expect(current).toBeGreaterThan(0);
    expect(updated).toBeGreaterThan(0);
    expect(current + updated).toBeLessThanOrEqual(replicas);
    await rolledOut(operator, "eleven", "2", replicas);
  });
  members.stop();
  expect(members.mostDown, members.worst).toBe(1);
  const expected = Array.from({ length: replicas }, (_, step) => `moco-eleven-${replicas - 1 - step}`);
  expect(members.restarts.map(({ pod }) => pod)).toEqual(expected);
  await expect.poll(() => family("current_replicas"), rolloutPatience).toBe(replicas);
  await expect.poll(() => family("updated_replicas"), rolloutPatience).toBe(replicas);
  expect(await family("last_partition_updated")).toBeGreaterThanOrEqual(began);
  expect(await steps()).toEqual(
    expect.arrayContaining(["Updated partition from 11 to 10", "Updated partition from 10 to 9"]),
  );
});

test("the force annotation reaches the StatefulSet, which has no partition then, and so does its removal", async () => {
  const pods = await identities();
  const seen = async () => {
    const live = await statefulSet();
    return [live.metadata?.annotations?.[annotationKeys.forceRollingUpdate], rollingUpdateOf(live)];
  };
  await operator.kubectl("annotate", "mysqlcluster", "eleven", `${annotationKeys.forceRollingUpdate}=true`);
  await expect.poll(seen, rolloutPatience).toEqual(["true", undefined]);
  expect(rollingUpdateOf(await patched({ spec: { minReadySeconds: 7 } }))).toBeUndefined();
  await operator.kubectl("annotate", "mysqlcluster", "eleven", `${annotationKeys.forceRollingUpdate}-`);
  await expect.poll(seen, rolloutPatience).toEqual([undefined, { partition: 0 }]);
  expect(rollingUpdateOf(await patched({ spec: { minReadySeconds: 7 } }))).toEqual({ partition: replicas });
  // Neither touches a Pod.
  expect(await identities()).toEqual(pods);
  expect(new Set(await versions(operator, "eleven"))).toEqual(new Set(["2"]));
});

async function identities(): Promise<(string | undefined)[]> {
  return (await podsOf(operator, "eleven")).map(({ metadata }) => metadata?.uid);
}

/** What Events tell of it. From the eleventh of a kind on they are combined into one. */
async function steps(): Promise<(string | undefined)[]> {
  const events = await operator.list<Event>("events", "--field-selector", "reason=PartitionUpdate");
  return events.map(({ message }) => message);
}
