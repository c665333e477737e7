/** Rolling updates of several clusters at once, as a new version of the controller may cause them. */
import type { Event, Pod } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import { metric, podsOf, startOperatorCluster, systemNamespace, type OperatorCluster } from "../testing/index.ts";
import { healthyCluster, rolledOut, rolloutPatience, template, told, unhurried, versions } from "./clusters.ts";
import { whileWriting } from "./interruptions.ts";

const clusters = ["first", "second"];
/** Seconds. More than an update of one instance takes. */
const interval = 60;
let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "rollout-pace", flags: ["--max-concurrent-rollouts=1"] });
});
afterAll(() => operator?.down());

async function updateBoth(version: string): Promise<void> {
  await Promise.all(clusters.map((name) => operator.patch(name, template(version))));
}

/** What the cluster that has to wait is told. */
async function wait(reason: RegExp): Promise<string> {
  const waiting = async () => {
    const texts = await Promise.all(clusters.map((name) => told(operator, name)));
    return clusters.find((_, index) => reason.test(texts[index]!));
  };
  await expect.poll(waiting, rolloutPatience).toBeDefined();
  return (await waiting())!;
}

test("no more clusters than --max-concurrent-rollouts are updated at the same time", unhurried, async () => {
  for (const name of clusters) await healthyCluster(operator, name, 1);
  await whileWriting(operator, "first", async () => {
    await updateBoth("2");
    const waiting = await wait(/^False RollingOut 0 of 1 pods are updated: --max-concurrent-rollouts is used up by/);
    expect(await versions(operator, waiting)).toEqual(["1"]);
    expect(await metric(operator, 'moco_cluster_partition_update_retries_total{namespace="default"}')).toBeGreaterThan(
      0,
    );
    for (const name of clusters) await rolledOut(operator, name, "2", 1);
    const [former, latter] = clusters.toSorted((name) => (name === waiting ? 1 : -1));
    expect(createdAt(await onlyPod(latter!))).toBeGreaterThanOrEqual(readyAt(await onlyPod(former!)));
  });
});

test("--partition-update-interval lies between two steps, of whatever clusters", unhurried, async () => {
  await startControllersWith(`--partition-update-interval=${interval}s`);
  await whileWriting(operator, "second", async () => {
    const before = (await steps()).length;
    await updateBoth("3");
    const waiting = await wait(/0 of 1 pods are updated: --partition-update-interval is not over/);
    expect(await versions(operator, waiting)).toEqual(["2"]);
    for (const name of clusters) await rolledOut(operator, name, "3", 1);
    const [first, second, ...rest] = (await steps()).slice(before);
    expect(rest).toEqual([]);
    // Events know whole seconds.
    expect(second! - first!).toBeGreaterThanOrEqual((interval - 1) * 1_000);
  });
});

/** When partitions were moved, in this order. */
async function steps(): Promise<number[]> {
  const events = await operator.list<Event>("events", "--field-selector", "reason=PartitionUpdate");
  return events.map(({ lastTimestamp }) => Date.parse(lastTimestamp!)).toSorted((one, other) => one - other);
}

/** Instead of the flag that they have. */
async function startControllersWith(flag: string): Promise<void> {
  const path = "jsonpath={.spec.template.spec.containers[0].args}";
  const deployment = ["deployment/moco-controller", "-n", systemNamespace];
  const args = JSON.parse(await operator.kubectl("get", ...deployment, "-o", path)) as string[];
  const value = [...args.filter((each) => !each.startsWith("--max-concurrent-rollouts")), flag];
  const patch = [{ op: "replace", path: "/spec/template/spec/containers/0/args", value }];
  await operator.kubectl("patch", ...deployment, "--type=json", "-p", JSON.stringify(patch));
  await operator.kubectl("rollout", "status", ...deployment, "--timeout=180s");
}

async function onlyPod(cluster: string): Promise<Pod> {
  return (await podsOf(operator, cluster))[0]!;
}

function createdAt({ metadata }: Pod): number {
  return Date.parse(metadata!.creationTimestamp!);
}

function readyAt({ status }: Pod): number {
  return Date.parse(status!.conditions!.find(({ type }) => type === "Ready")!.lastTransitionTime!);
}
