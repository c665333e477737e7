import type { AdmissionRequest, StatefulSet } from "@moco-ts/kube";
import { describe, expect, test } from "vitest";
import { mutateStatefulSet } from "./webhook.ts";

const owner = { apiVersion: "moco.cybozu.com/v1beta2", kind: "MySQLCluster", name: "test", uid: "1", controller: true };

function statefulSet(partition: number | undefined, change: (object: StatefulSet) => void = () => undefined) {
  const object: StatefulSet = {
    metadata: { name: "moco-test", namespace: "shop", ownerReferences: [owner] },
    spec: {
      replicas: 3,
      selector: { matchLabels: { a: "b" } },
      template: { spec: { containers: [{ name: "mysqld", image: "mysql:8.4" }] } },
      updateStrategy: { type: "RollingUpdate", ...(partition !== undefined && { rollingUpdate: { partition } }) },
    },
  };
  change(object);
  return object;
}

/** The partition that is stored. */
async function stored(object: StatefulSet, oldObject?: StatefulSet): Promise<number | undefined> {
  const request = { operation: oldObject ? "UPDATE" : "CREATE", object: structuredClone(object), oldObject };
  const answer = await mutateStatefulSet(request as AdmissionRequest<StatefulSet>, AbortSignal.timeout(1000));
  const result = "object" in answer ? answer.object : object;
  expect(result.spec?.updateStrategy?.type).toBe("RollingUpdate");
  return result.spec?.updateStrategy?.rollingUpdate?.partition;
}

const image = (object: StatefulSet) => void (object.spec!.template.spec!.containers[0]!.image = "mysql:8.0");
const scale = (object: StatefulSet) => void (object.spec!.replicas = 5);
const annotate = (value: string) => (object: StatefulSet) =>
  void (object.metadata!.annotations = { "moco.cybozu.com/force-rolling-update": value });
const both =
  (...changes: ((object: StatefulSet) => void)[]) =>
  (object: StatefulSet) =>
    changes.forEach((change) => change(object));

describe("the partition becomes the number of replicas", () => {
  test("when a StatefulSet is created, whatever it says itself", async () => {
    expect(await stored(statefulSet(undefined))).toBe(3);
    expect(await stored(statefulSet(0))).toBe(3);
    expect(await stored(statefulSet(1))).toBe(3);
  });

  test("when anything else of its spec changes, with the partition or without", async () => {
    expect(await stored(statefulSet(0, image), statefulSet(0))).toBe(3);
    expect(await stored(statefulSet(1, image), statefulSet(2))).toBe(3);
    expect(await stored(statefulSet(0, scale), statefulSet(0))).toBe(5);
    expect(await stored(statefulSet(undefined, image), statefulSet(0))).toBe(3);
  });

  test("when there was none: a rollout is no longer forced", async () => {
    expect(await stored(statefulSet(undefined), statefulSet(undefined, annotate("true")))).toBe(3);
  });
});

describe("the partition stays as it is", () => {
  test("when nothing but it changes", async () => {
    expect(await stored(statefulSet(2), statefulSet(3))).toBe(2);
    expect(await stored(statefulSet(0), statefulSet(1))).toBe(0);
    expect(await stored(statefulSet(3), statefulSet(0))).toBe(3);
  });

  test("when metadata or status change", async () => {
    const labelled = statefulSet(1, (object) => void (object.metadata!.labels = { a: "b" }));
    expect(await stored(labelled, statefulSet(1))).toBe(1);
    const reported = statefulSet(1, (object) => void (object.status = { replicas: 3 }));
    expect(await stored(reported, statefulSet(1))).toBe(1);
    expect(await stored(statefulSet(1, annotate("false")), statefulSet(1))).toBe(1);
  });

  test.each([
    ["of another kind, though of our group", { ...owner, kind: "BackupPolicy" }],
    ["of our kind, though of another group", { ...owner, apiVersion: "example.com/v1" }],
    ["that does not control it", { ...owner, controller: false }],
  ])("for an owner %s", async (_title, reference) => {
    const foreign = (object: StatefulSet) => void (object.metadata!.ownerReferences = [reference]);
    expect(await stored(statefulSet(1, both(image, foreign)), statefulSet(1, foreign))).toBe(1);
  });
});

test("a forced rollout has no partition", async () => {
  const forced = annotate("true");
  expect(await stored(statefulSet(3, forced))).toBe(undefined);
  expect(await stored(statefulSet(3, forced), statefulSet(3))).toBe(undefined);
  expect(await stored(statefulSet(2, both(forced, image)), statefulSet(undefined, forced))).toBe(undefined);
});

test("an unavailable number that somebody allows stays", async () => {
  const object = statefulSet(0, (each) => void (each.spec!.updateStrategy!.rollingUpdate!.maxUnavailable = 1));
  const answer = await mutateStatefulSet(
    { operation: "CREATE", object } as AdmissionRequest<StatefulSet>,
    AbortSignal.timeout(1000),
  );
  expect(answer).toMatchObject({
    object: { spec: { updateStrategy: { rollingUpdate: { partition: 3, maxUnavailable: 1 } } } },
  });
});
