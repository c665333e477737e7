/** Rolling updates during which something else happens. */
import { annotationKeys } from "@moco-ts/api";
import type { Event } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  podsOf,
  primaryPod,
  startOperatorCluster,
  systemNamespace,
  waitForCondition,
  type OperatorCluster,
} from "../testing/index.ts";
import {
  healthyCluster,
  partition,
  rolledOut,
  rolloutPatience,
  template,
  unhurried,
  versionOf,
  versions,
} from "./clusters.ts";
import { whileWriting } from "./interruptions.ts";
import { Members } from "./members.ts";

let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "rollout-changes" });
});
afterAll(() => operator?.down());

/** Of cluster "one", and waits until its first pod is being replaced. */
async function beginRollout(version: string, replicas: number): Promise<void> {
  await operator.patch("one", template(version));
  await expect.poll(() => partition(operator, "one"), rolloutPatience).toBe(replicas - 1);
}

test("template and replicas change together: the cluster grows with the old template first", unhurried, async () => {
  await healthyCluster(operator, "one", 1);
  await whileWriting(operator, "one", async () => {
    await operator.patch("one", { ...template("2"), replicas: 3 });
    await expect.poll(() => versions(operator, "one"), rolloutPatience).toEqual(["1", "1", "1"]);
    await rolledOut(operator, "one", "2", 3);
  });
});

test("the controller is restarted during a rollout", unhurried, async () => {
  const members = await Members.follow(operator, "one", 3);
  await whileWriting(operator, "one", async () => {
    await beginRollout("3", 3);
    await operator.kubectl("delete", "pods", "-n", systemNamespace, "--all", "--force", "--grace-period=0");
    await rolledOut(operator, "one", "3", 3);
  });
  members.stop();
  expect(members.mostDown, members.worst).toBe(1);
});

test("the primary has the highest ordinal: writers pause twice, and not more often", unhurried, async () => {
  await makePrimary(2);
  const { changes, interruptions } = await whileWriting(operator, "one", async () => {
    await operator.patch("one", template("4"));
    await rolledOut(operator, "one", "4", 3);
  });
  expect(changes).toEqual(["SwitchOver", "SwitchOver"]);
  expect(interruptions).toBeLessThanOrEqual(2);
});

test("a pod is deleted by hand during a rollout: it comes back as it was, and is waited for", unhurried, async () => {
  await whileWriting(operator, "one", async () => {
    await beginRollout("5", 3);
    const primary = await primaryPod(operator, "one");
    const other = ["moco-one-0", "moco-one-1"].find((name) => name !== primary)!;
    await operator.kubectl("delete", "pod", other);
    await expect.poll(() => versions(operator, "one"), rolloutPatience).toEqual(["4", "4", "5"]);
    await rolledOut(operator, "one", "5", 3);
  });
});

test("a node is drained during a rollout: no pod is evicted as long as another one is down", unhurried, async () => {
  await whileWriting(operator, "one", async () => {
    await operator.patch("one", template("6"));
    const allowed = () => operator.kubectl("get", "pdb", "moco-one", "-o", "jsonpath={.status.disruptionsAllowed}");
    await expect.poll(allowed, { ...rolloutPatience, interval: 100 }).toBe("0");
    await expect(evict("moco-one-1")).rejects.toThrow(/disruption budget/);
    await rolledOut(operator, "one", "6", 3);
  });
});

test(
  "a node has too little memory during a rollout: what it evicts comes back as it was, and is waited for",
  unhurried,
  async () => {
    const node = operator.local.nodes[0]!;
    await whileWriting(operator, "one", async () => {
      await beginRollout("7", 3);
      const before = await podsOf(operator, "one");
      await node.setMemoryPressure(true);
      await expect.poll(evictedMember, { ...rolloutPatience, interval: 200 }).toBeDefined();
      await node.setMemoryPressure(false);
      const name = (await evictedMember())!;
      const old = before.find(({ metadata }) => metadata?.name === name)?.metadata?.uid;
      const anew = async () => (await podsOf(operator, "one")).find(({ metadata }) => metadata?.name === name);
      await expect.poll(async () => (await anew())?.metadata?.uid ?? old, rolloutPatience).not.toBe(old);
      const isUpdated = Number(name.at(-1)) >= (await partition(operator, "one"));
      expect(versionOf((await anew())!)).toBe(isUpdated ? "7" : "6");
      await rolledOut(operator, "one", "7", 3);
    });
  },
);

test("the webhook is away: a changed template rolls out pod by pod all the same", unhurried, async () => {
  await operator.kubectl("delete", "mutatingwebhookconfiguration", "moco-mutating-webhook-configuration");
  const members = await Members.follow(operator, "one", 3);
  await whileWriting(operator, "one", async () => {
    await operator.patch("one", template("8"));
    await rolledOut(operator, "one", "8", 3);
  });
  members.stop();
  expect(members.mostDown, members.worst).toBe(1);
});

test("the cluster grows during a rollout: new pods come as those that are still to be updated", unhurried, async () => {
  await whileWriting(operator, "one", async () => {
    await beginRollout("9", 3);
    await operator.patch("one", { replicas: 5 });
    await expect.poll(async () => (await versions(operator, "one")).slice(3), rolloutPatience).toEqual(["8", "8"]);
    await rolledOut(operator, "one", "9", 5);
  });
});

test("the cluster is taken offline during a rollout, and comes back updated", unhurried, async () => {
  await beginRollout("10", 5);
  await operator.patch("one", { offline: true });
  await expect.poll(() => versions(operator, "one"), rolloutPatience).toEqual([]);
  await operator.patch("one", { offline: false });
  await rolledOut(operator, "one", "10", 5);
});

/** The first of the cluster's Pods that a kubelet has evicted. */
async function evictedMember(): Promise<string | undefined> {
  const events = await operator.list<Event>("events", "--field-selector", "reason=Evicted");
  return events.map(({ involvedObject }) => involvedObject.name!).find((name) => name.startsWith("moco-one-"));
}

/** As `kubectl drain` does it. */
async function evict(name: string): Promise<void> {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: "default" } };
  const path = `/api/v1/namespaces/default/pods/${name}/eviction`;
  await operator.local.kubectl(["create", "--raw", path, "-f", "-"], { input: JSON.stringify(eviction) });
}

async function makePrimary(ordinal: number): Promise<void> {
  const present = await primaryPod(operator, "one");
  if (present === `moco-one-${ordinal}`) return;
  const request = [`${annotationKeys.switchoverTo}=${ordinal}`, `${annotationKeys.demote}=true`];
  await operator.kubectl("annotate", "pod", present, ...request);
  await expect.poll(() => primaryPod(operator, "one"), rolloutPatience).toBe(`moco-one-${ordinal}`);
  await waitForCondition(operator, "one", "Healthy");
}
