import { onTestFinished, expect, test } from "vitest";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { ConfigMaps, Secrets, type ConfigMap } from "../types/generated/index.ts";
import { keyOf, type KubeObject } from "../types/object.ts";
import { createInformer, type InformerOptions } from "./create-informer.ts";
import type { Informer } from "./informer.ts";

/** Runs the informer until the test ends and keeps a diary of what it was told. */
async function follow<T extends KubeObject>(informer: Informer<T>): Promise<string[]> {
  const stop = new AbortController();
  const diary: string[] = [];
  const name = (object: T): string => object.metadata?.name ?? "";
  informer.subscribe({
    added: (object) => void diary.push(`added ${name(object)}`),
    updated: (object) => void diary.push(`updated ${name(object)}`),
    deleted: (object) => void diary.push(`deleted ${name(object)}`),
  });
  const running = informer.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  await informer.waitForSync(AbortSignal.timeout(10_000));
  return diary;
}

async function setUp(options: InformerOptions<ConfigMap> = {}) {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const put = (name: string, extra: Partial<ConfigMap> & { labels?: Record<string, string> } = {}) => {
    const { labels = { test: namespace }, ...rest } = extra;
    return client.apply(ConfigMaps, { metadata: { namespace, name, labels }, ...rest }, { fieldManager: "test" });
  };
  const informer = createInformer(client, ConfigMaps, { labelSelector: `test=${namespace}`, ...options });
  return { client, namespace, put, informer, remove: (name: string) => client.delete(ConfigMaps, { namespace, name }) };
}

test.for([{ listing: "whole" }, { listing: "events" }, { listing: "pages", pageSize: 2 }] as const)(
  "what is there, and what changes, is told once and in order (%o)",
  async (options) => {
    const { informer, put, remove, namespace } = await setUp(options);
    for (const name of ["one", "two", "three", "four", "five"]) await put(name, { data: { a: "1" } });
    const diary = await follow(informer);
    expect(diary.sort()).toEqual(["added five", "added four", "added one", "added three", "added two"]);
    diary.length = 0;

    await put("one", { data: { a: "2" } });
    await remove("two");
    await put("six");
    await expect.poll(() => diary).toEqual(["updated one", "deleted two", "added six"]);
    expect(informer.cache.get(`${namespace}/one`)?.data).toEqual({ a: "2" });
    expect(informer.cache.size).toBe(5);
  },
);

test("objects that enter and leave the selection come and go", async () => {
  const { informer, put, namespace } = await setUp();
  await put("other", { labels: { test: "no" } });
  const diary = await follow(informer);
  expect(diary).toEqual([]);
  await put("other", { labels: { test: namespace } });
  await expect.poll(() => diary).toEqual(["added other"]);
  await put("other", { labels: { test: "no" } });
  await expect.poll(() => diary).toEqual(["added other", "deleted other"]);
});

test("field selectors, several namespaces and indexes", async () => {
  const client = await testClient();
  const namespaces = [await testNamespace(client), await testNamespace(client)];
  const foreign = await testNamespace(client);
  const put = (namespace: string, name: string, owner: string) =>
    client.create(Secrets, { metadata: { namespace, name, labels: { owner } } });
  const informer = createInformer(client, Secrets, {
    namespaces,
    fieldSelector: "metadata.name!=ignored",
    indexes: { owner: (secret) => [secret.metadata?.labels?.["owner"] ?? ""] },
  });
  for (const namespace of [...namespaces, foreign]) {
    await put(namespace, "one", "ann");
    await put(namespace, "ignored", "ann");
  }
  await follow(informer);
  expect(informer.cache.byIndex("owner", "ann").map(keyOf).sort()).toEqual(
    namespaces.map((each) => `${each}/one`).sort(),
  );

  await client.patch(
    Secrets,
    { namespace: namespaces[0]!, name: "one" },
    { type: "merge", body: { metadata: { labels: { owner: "bob" } } } },
  );
  await expect.poll(() => informer.cache.byIndex("owner", "bob").map(keyOf)).toEqual([`${namespaces[0]}/one`]);
  expect(informer.cache.byIndex("owner", "ann")).toHaveLength(1);
  expect(() => informer.cache.byIndex("nowhere", "x")).toThrow(expect.objectContaining({ code: "INDEX_UNKNOWN" }));
});

test("metadata-only caches hold no data, and look like the objects they stand for", async () => {
  const { informer, put, namespace } = await setUp({ metadataOnly: true });
  await put("one", { data: { a: "1" } });
  const diary = await follow(informer);
  await put("two", { data: { a: "1" } });
  await expect.poll(() => diary).toEqual(["added one", "added two"]);
  for (const object of informer.cache.list()) {
    expect(object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace } });
    expect(object).not.toHaveProperty("data");
  }
});

test("managedFields of others are dropped, and cached objects can't be changed", async () => {
  const { informer, put, client, namespace } = await setUp({ keepManagedFieldsOf: ["test"] });
  await put("one", { data: { a: "1" } });
  const body = { data: { b: "2" } };
  await client.patch(ConfigMaps, { namespace, name: "one" }, { type: "merge", body }, { fieldManager: "other" });
  await follow(informer);
  const one = informer.cache.get(`${namespace}/one`)!;
  expect(one.metadata?.managedFields?.map((entry) => entry.manager)).toEqual(["test"]);
  expect(() => {
    one.data!["a"] = "changed";
  }).toThrow(TypeError);
});
