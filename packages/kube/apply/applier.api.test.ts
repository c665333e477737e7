import { describe, expect, test } from "vitest";
import { applying, testApplier } from "../testing/applying.ts";
import { oneOfEach, statefulSet } from "../testing/workloads.ts";
import { ConfigMaps, PodDisruptionBudgets, StatefulSets, type ConfigMap } from "../types/generated/index.ts";
import type { Configuration } from "./configuration.ts";
import { controllerReference } from "./owner.ts";

describe("an object that is as wanted is left alone:", () => {
  test("no request is made, whatever the server filled in, by this process and by the next", async () => {
    const first = await applying();
    for (const [resource, configuration] of oneOfEach(first.namespace, "round")) {
      first.calls.length = 0;
      const { outcome, object } = await first.applier.apply(resource, configuration);
      expect([resource.kind, outcome, first.calls]).toEqual([resource.kind, "created", ["get", "apply"]]);

      for (const { applier, calls } of [first, testApplier(first.client)]) {
        calls.length = 0;
        const again = await applier.apply(resource, configuration, { live: object });
        expect([resource.kind, again.outcome, calls]).toEqual([resource.kind, "unchanged", []]);
      }
      if (!resource.namespaced) await first.client.delete(resource, { name: configuration.metadata.name });
    }
  });

  test("a null that the server turns into a default is applied once by each process, not over and over", async () => {
    const { applier, calls, namespace, client } = await applying();
    const configuration = statefulSet(namespace, "nulls");
    configuration.spec!.revisionHistoryLimit = null;
    const { object } = await applier.apply(StatefulSets, configuration);
    expect(object.spec!.revisionHistoryLimit).toBe(10);
    calls.length = 0;
    expect((await applier.apply(StatefulSets, configuration, { live: object })).outcome).toBe("unchanged");
    expect(calls).toEqual([]);

    const next = testApplier(client);
    for (const _ of [1, 2, 3]) {
      expect((await next.applier.apply(StatefulSets, configuration, { live: object })).outcome).toBe("unchanged");
    }
    expect(next.calls).toEqual(["get", "apply"]);
  });

  test("a status has fields of its own", async () => {
    const { applier, namespace, client } = await applying();
    const metadata = { name: "status", namespace };
    const spec = { maxUnavailable: 1, selector: { matchLabels: { app: "none" } } };
    await applier.apply(PodDisruptionBudgets, { metadata, spec });
    const condition = { type: "Tested", status: "True", reason: "Test", message: "" };
    const configuration = {
      metadata,
      status: { conditions: [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00+00:00" }] },
    };
    const writer = testApplier(client, "status-writer");
    const options = { subresource: "status" };
    const { object } = await writer.applier.apply(PodDisruptionBudgets, configuration, options);
    expect(object.status!.conditions).toContainEqual(expect.objectContaining(condition));
    writer.calls.length = 0;
    const again = await writer.applier.apply(PodDisruptionBudgets, configuration, { ...options, live: object });
    expect([again.outcome, writer.calls]).toEqual(["unchanged", []]);
  });
});

describe("a changed wish", () => {
  test("is not applied to another version of the object than is meant", async () => {
    const { applier, client, namespace } = await applying();
    // Of a kind that no controller writes to: its version changes by us alone.
    const wish = (value: string) => ({ metadata: { name: "version", namespace }, data: { value } });
    const { object } = await applier.apply(ConfigMaps, wish("1"));
    const { name, resourceVersion } = object.metadata!;
    const body = { metadata: { annotations: { changed: "since" } } };
    const { metadata } = await client.patch(ConfigMaps, { namespace, name: name! }, { type: "merge", body });
    const stale = applier.apply(ConfigMaps, wish("2"), { resourceVersion });
    await expect(stale).rejects.toMatchObject({ reason: "Conflict" });
    const options = { resourceVersion: metadata!.resourceVersion };
    expect((await applier.apply(ConfigMaps, wish("2"), options)).outcome).toBe("updated");
    expect((await applier.apply(ConfigMaps, wish("2"), { resourceVersion })).outcome).toBe("unchanged");
  });

  test("is applied, and the outcome names the fields", async () => {
    const { applier, lines, namespace } = await applying();
    const { object } = await applier.apply(StatefulSets, statefulSet(namespace, "wish"));
    const wish = statefulSet(namespace, "wish");
    const container = wish.spec!.template!.spec!.containers![0]!;
    container.image = "mysql:10";
    container.env = container.env!.toReversed();
    delete wish.metadata.labels;
    wish.spec!.minReadySeconds = 5;
    const applied = await applier.apply(StatefulSets, wish, { live: object });
    expect(applied).toMatchObject({ outcome: "updated", object: { spec: { minReadySeconds: 5 } } });
    const changes = applied.outcome === "updated" ? applied.changes : [];
    expect(changes.map(({ kind, path }) => `${kind} ${path}`).toSorted()).toEqual([
      'different .spec.template.spec.containers[name="mysqld"].image',
      "missing .spec.minReadySeconds",
      'order .spec.template.spec.containers[name="mysqld"].env',
      "unwanted .metadata.labels.app",
    ]);
    expect(applied.object.metadata!.labels).toBeUndefined();
    const env = applied.object.spec!.template.spec!.containers[0]!.env!;
    expect(env.map(({ name }) => name)).toEqual(["CPUS", "POD", "EMPTY"]);
    expect((await applier.apply(StatefulSets, wish, { live: applied.object })).outcome).toBe("unchanged");
    expect(lines).toMatchObject([{ level: "info", msg: "changed an object" }]);
  });

  test("that was carried out is not applied again when the cache lags behind", async () => {
    const { applier, calls, namespace } = await applying();
    const metadata = { name: "lag", namespace };
    const { object: old } = await applier.apply(ConfigMaps, { metadata, data: { value: "1" } });
    await applier.apply(ConfigMaps, { metadata, data: { value: "2" } }, { live: old });
    calls.length = 0;
    const again = await applier.apply(ConfigMaps, { metadata, data: { value: "2" } }, { live: old });
    expect(again).toMatchObject({ outcome: "unchanged", object: { data: { value: "2" } } });
    expect(calls).toEqual(["get"]);
  });
});

describe("an object that is not ours to write", () => {
  test("because another controller owns it stays as it is: the error names both", async () => {
    const { applier, calls, client, namespace } = await applying();
    const owner = (name: string): Promise<ConfigMap> => client.create(ConfigMaps, { metadata: { name, namespace } });
    const [mine, theirs] = [await owner("mine"), await owner("theirs")];
    const configuration = (by: ConfigMap): Configuration<ConfigMap> => ({
      metadata: { name: "owned", namespace, ownerReferences: [controllerReference(ConfigMaps, by)] },
      data: { by: by.metadata!.name! },
    });
    await applier.apply(ConfigMaps, configuration(theirs));
    calls.length = 0;
    await expect(applier.apply(ConfigMaps, configuration(mine))).rejects.toMatchObject({
      code: "APPLY_FOREIGN_CONTROLLER",
      message: expect.stringMatching(/^ConfigMap .*\/owned is controlled by ConfigMap theirs .*not by ConfigMap mine/),
    });
    expect(calls).toEqual(["get"]);
  });

  test("because it is being deleted is not written", async () => {
    const { applier, calls, client, namespace } = await applying();
    const metadata = { name: "dying", namespace, finalizers: ["test.example/keep"] };
    await applier.apply(ConfigMaps, { metadata });
    await client.delete(ConfigMaps, metadata);
    calls.length = 0;
    const { outcome } = await applier.apply(ConfigMaps, { metadata, data: { a: "1" } });
    expect([outcome, calls]).toEqual(["terminating", ["get"]]);
    await client.patch(ConfigMaps, metadata, { type: "merge", body: { metadata: { finalizers: null } } });
  });
});
