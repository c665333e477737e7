import { expect, test } from "vitest";
import { applying } from "../testing/applying.ts";
import { statefulSet } from "../testing/workloads.ts";
import { ConfigMaps, StatefulSets, type ConfigMap } from "../types/generated/index.ts";
import type { Configuration } from "./configuration.ts";

test("what somebody changed in our fields is put back, with a log line that says which and who", async () => {
  const { applier, lines, client, namespace } = await applying();
  const key = { name: "drift", namespace };
  await applier.apply(StatefulSets, statefulSet(namespace, "drift"));
  const container = { name: "mysqld", image: "other", resources: { limits: { cpu: "9" } } };
  const body = { spec: { replicas: 7, minReadySeconds: 9, template: { spec: { containers: [container] } } } };
  const live = await client.patch(StatefulSets, key, { type: "strategic", body }, { fieldManager: "kubectl-edit" });
  const { object } = await applier.apply(StatefulSets, statefulSet(namespace, "drift"), { live });
  expect(object.spec).toMatchObject({ replicas: 0, template: { spec: { containers: [{ image: "mysql:9" }] } } });
  expect(object.spec!.minReadySeconds).toBeUndefined();
  expect(lines).toMatchObject([
    {
      level: "warn",
      kind: "StatefulSet",
      object: `${namespace}/drift`,
      fields: [
        ".spec.replicas",
        ".spec.minReadySeconds",
        '.spec.template.spec.containers[name="mysqld"].image',
        '.spec.template.spec.containers[name="mysqld"].resources.limits.cpu',
      ],
      changedBy: ["kubectl-edit (Update)"],
    },
  ]);
});

test("what somebody removed from our fields is put back, though nobody is on record for it", async () => {
  const { applier, lines, client, namespace } = await applying();
  const metadata = { name: "removal", namespace, finalizers: ["test.example/b", "test.example/a"] };
  const configuration: Configuration<ConfigMap> = { metadata, data: { a: "1", b: "2" } };
  await applier.apply(ConfigMaps, configuration);
  const body = { metadata: { finalizers: ["test.example/a"] }, data: { a: null } };
  const live = await client.patch(ConfigMaps, metadata, { type: "merge", body });
  const { object } = await applier.apply(ConfigMaps, configuration, { live });
  expect(object.data).toEqual({ a: "1", b: "2" });
  expect(object.metadata!.finalizers!.toSorted()).toEqual(["test.example/a", "test.example/b"]);
  expect(lines).toMatchObject([{ level: "warn", fields: [".data.a", '.metadata.finalizers["test.example/b"]'] }]);
  await client.patch(ConfigMaps, metadata, { type: "merge", body: { metadata: { finalizers: null } } });
});

test("fields that are not in our configuration are never touched, and are no reason for a request", async () => {
  const { applier, calls, client, namespace } = await applying();
  const key = { name: "foreign", namespace };
  await applier.apply(StatefulSets, statefulSet(namespace, "foreign"));
  const containers = [
    { name: "mysqld", env: [{ name: "THEIRS", value: "1" }] },
    { name: "sidecar", image: "sidecar" },
  ];
  const body = {
    metadata: { labels: { theirs: "yes" }, annotations: { theirs: "yes" } },
    spec: { updateStrategy: { rollingUpdate: { partition: 3 } }, template: { spec: { containers } } },
  };
  const live = await client.patch(StatefulSets, key, { type: "strategic", body }, { fieldManager: "other" });
  calls.length = 0;
  expect((await applier.apply(StatefulSets, statefulSet(namespace, "foreign"), { live })).outcome).toBe("unchanged");
  expect(calls).toEqual([]);

  const wish = statefulSet(namespace, "foreign");
  wish.spec!.template!.spec!.containers![0]!.image = "mysql:10";
  const { outcome, object } = await applier.apply(StatefulSets, wish, { live });
  expect(outcome).toBe("updated");
  expect(object.metadata).toMatchObject({ labels: { theirs: "yes" }, annotations: { theirs: "yes" } });
  expect(object.spec!.updateStrategy!.rollingUpdate!.partition).toBe(3);
  const [mysqld, sidecar] = object.spec!.template.spec!.containers;
  expect(mysqld).toMatchObject({ image: "mysql:10" });
  expect(mysqld!.env!.map(({ name }) => name)).toContain("THEIRS");
  expect(sidecar).toMatchObject({ name: "sidecar", image: "sidecar" });
});

test("what somebody else made with the values that we want becomes ours too, once", async () => {
  const { applier, lines, client, namespace } = await applying();
  const configuration: Configuration<ConfigMap> = { metadata: { name: "adopted", namespace }, data: { a: "1" } };
  await client.create(ConfigMaps, configuration as ConfigMap, { fieldManager: "other" });
  const applied = await applier.apply(ConfigMaps, configuration);
  expect(applied).toMatchObject({ outcome: "updated", changes: [{ path: ".data.a", kind: "unowned" }] });
  expect((await applier.apply(ConfigMaps, configuration, { live: applied.object })).outcome).toBe("unchanged");
  expect(lines).toMatchObject([{ level: "info" }]);
});
