import { expect, test } from "vitest";
import { hasReason, isAlreadyExists, isConflict, isNotFound, type KubeError } from "./errors.ts";
import { testClient, testNamespace } from "../testing/cluster.ts";
import {
  ConfigMaps,
  CustomResourceDefinitions,
  Deployments,
  Namespaces,
  Secrets,
  ServiceAccounts,
  Services,
  StatefulSets,
  type Deployment,
  type Scale,
} from "../types/generated/index.ts";
import type { KubeObject } from "../types/object.ts";
import { defineResource } from "../types/resource.ts";
import type { Client } from "./client.ts";

interface Thing extends KubeObject {
  spec?: { size: number };
  status?: { ready: boolean };
}

const caught = (promise: Promise<unknown>): Promise<KubeError> =>
  promise.then(
    () => Promise.reject(new Error("expected a failure")),
    (error: unknown) => error as KubeError,
  );

function deployment(namespace: string): Deployment {
  const labels = { app: "web" };
  const containers = [{ name: "web", image: "web:1" }];
  return {
    metadata: { namespace, name: "web" },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

test("an object is created, read, replaced and deleted", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const key = { namespace, name: "one" };

  const created = await client.create(ConfigMaps, { metadata: key, data: { a: "1" } });
  expect(created.metadata?.uid).toBeDefined();
  expect(await client.get(ConfigMaps, key)).toEqual(created);

  const updated = await client.update(ConfigMaps, { ...created, data: { a: "2" } });
  expect(updated.data).toEqual({ a: "2" });

  expect(await client.delete(ConfigMaps, key)).toBeUndefined();
  expect(isNotFound(await caught(client.get(ConfigMaps, key)))).toBe(true);
});

test("a resourceVersion in an update is a precondition", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const old = await client.create(ConfigMaps, { metadata: { namespace, name: "one" } });
  await client.update(ConfigMaps, { ...old, data: { a: "1" } });
  expect(isConflict(await caught(client.update(ConfigMaps, { ...old, data: { a: "2" } })))).toBe(true);
});

test("preconditions of a delete are honoured", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const key = { namespace, name: "one" };
  const { metadata } = await client.create(ConfigMaps, { metadata: key });

  const other = { uid: "00000000-0000-0000-0000-000000000000" };
  expect(isConflict(await caught(client.delete(ConfigMaps, key, { preconditions: other })))).toBe(true);
  const stale = { uid: metadata!.uid!, resourceVersion: "1" };
  expect(isConflict(await caught(client.delete(ConfigMaps, key, { preconditions: stale })))).toBe(true);
  expect(await client.delete(ConfigMaps, key, { preconditions: { uid: metadata!.uid! } })).toBeUndefined();
});

test("a delete tells whether the object is gone", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const held = { namespace, name: "held" };
  await client.create(ConfigMaps, { metadata: { ...held, finalizers: ["example.com/hold"] } });
  const waiting = await client.delete(ConfigMaps, held);
  expect(waiting?.metadata?.deletionTimestamp).toBeDefined();
  await client.patch(ConfigMaps, held, { type: "json", body: [{ op: "remove", path: "/metadata/finalizers" }] });
  expect(isNotFound(await caught(client.get(ConfigMaps, held)))).toBe(true);

  // The server answers with the object itself for these, although it is gone.
  const service = { namespace, name: "web" };
  await client.create(Services, { metadata: service, spec: { ports: [{ port: 80 }] } });
  expect(await client.delete(Services, service)).toBeUndefined();

  const empty = { name: `${namespace}-empty` };
  await client.create(Namespaces, { metadata: empty });
  expect(await client.delete(Namespaces, empty)).toMatchObject({ status: { phase: "Terminating" } });
});

test("patches: merge, JSON and strategic", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const key = { namespace, name: "web" };
  await client.create(Deployments, deployment(namespace));

  const merged = await client.patch(Deployments, key, { type: "merge", body: { spec: { replicas: 2 } } });
  expect(merged.spec?.replicas).toBe(2);

  const body = [{ op: "test", path: "/spec/replicas", value: 1 }] as const;
  expect(hasReason(await caught(client.patch(Deployments, key, { type: "json", body })), "Invalid")).toBe(true);

  const sidecar = { spec: { template: { spec: { containers: [{ name: "sidecar", image: "sidecar:1" }] } } } };
  const both = await client.patch(Deployments, key, { type: "strategic", body: sidecar });
  expect(both.spec?.template.spec?.containers.map((each) => each.name).sort()).toEqual(["sidecar", "web"]);
});

test("server-side apply owns fields, meets conflicts and takes over by force", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const wanted = (value: string) => ({ metadata: { namespace, name: "shared" }, data: { value } });
  await client.apply(ConfigMaps, wanted("first"), { fieldManager: "first" });

  const refused = await caught(client.apply(ConfigMaps, wanted("second"), { fieldManager: "second" }));
  expect(isConflict(refused)).toBe(true);
  expect(refused.causes).toMatchObject([{ reason: "FieldManagerConflict", field: ".data.value" }]);

  const taken = await client.apply(ConfigMaps, wanted("second"), { fieldManager: "second", force: true });
  expect(taken.data).toEqual({ value: "second" });
  expect(taken.metadata?.managedFields?.map((entry) => entry.manager)).toEqual(["second"]);
});

test("a refused object names the fields that are wrong", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const wrong = deployment(namespace);
  wrong.spec!.template.spec!.containers[0]!.image = "";
  wrong.spec!.replicas = -1;
  const error = await caught(client.create(Deployments, wrong));
  expect(error).toMatchObject({ code: "KUBE_Invalid", status: 422, reason: "Invalid" });
  expect(error.causes.map((cause) => cause.field).sort()).toEqual([
    "spec.replicas",
    "spec.template.spec.containers[0].image",
  ]);
});

test("unknown fields are refused unless asked otherwise", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const typo = { metadata: { namespace, name: "typo" }, dtaa: { a: "1" } };
  expect(await caught(client.create(ConfigMaps, typo))).toMatchObject({ code: "KUBE_BadRequest" });
  await client.create(ConfigMaps, typo, { fieldValidation: "Ignore" });
});

test("errors have codes", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  await client.create(ConfigMaps, { metadata: { namespace, name: "one" } });
  const again = await caught(client.create(ConfigMaps, { metadata: { namespace, name: "one" } }));
  expect(isAlreadyExists(again)).toBe(true);
  const unknown = defineResource("nowhere.example.com/v1", "Thing", "things");
  expect(await caught(client.list(unknown))).toMatchObject({ code: "KUBE_NotFound", status: 404 });
  expect(await caught(client.list(ConfigMaps, { labelSelector: "a=(" }))).toMatchObject({ code: "KUBE_BadRequest" });
});

test("a dry run changes nothing", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const key = { namespace, name: "one" };
  await client.create(ConfigMaps, { metadata: key }, { dryRun: true });
  expect(isNotFound(await caught(client.get(ConfigMaps, key)))).toBe(true);
  await client.create(ConfigMaps, { metadata: key });
  await client.delete(ConfigMaps, key, { dryRun: true });
  await client.get(ConfigMaps, key);
});

test("subresources: scale, and those that are only created", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const key = { namespace, name: "db" };
  const { spec } = deployment(namespace);
  await client.create(StatefulSets, { metadata: key, spec: { ...spec!, serviceName: "db" } });

  const scaled = await client.patch(
    StatefulSets,
    key,
    { type: "merge", body: { spec: { replicas: 3 } } },
    { subresource: "scale" },
  );
  expect(scaled).toMatchObject({ kind: "Scale", spec: { replicas: 3 } });
  const scale: Scale = await client.get(StatefulSets, key, { subresource: "scale" });
  expect(scale.spec?.replicas).toBe(3);

  await client.create(ServiceAccounts, { metadata: { namespace, name: "robot" } });
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: { namespace, name: "robot" },
    spec: {},
  };
  const granted = await client.create(ServiceAccounts, request, { subresource: "token" });
  expect(granted).toMatchObject({ status: { token: expect.any(String) as string } });
});

test("lists are paged inside, scanned in one answer, and one page can be asked for", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const names = Array.from({ length: 1200 }, (_, index) => `item-${String(index).padStart(4, "0")}`);
  await createAll(client, namespace, names);

  const all = await client.list(ConfigMaps, { namespace, labelSelector: "test=paging" });
  expect(all.items.map((item) => item.metadata!.name)).toEqual(names);
  expect(all.metadata.continue ?? "").toBe("");
  expect(all.items[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });

  const scanned: string[] = [];
  const metadata = await client.scan(ConfigMaps, { namespace, labelSelector: "test=paging" }, (item) => {
    scanned.push(item.metadata!.name!);
  });
  expect(scanned).toEqual(names);
  expect(Number(metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(all.metadata.resourceVersion));

  const first = await client.list(ConfigMaps, { namespace, labelSelector: "test=paging", limit: 10 });
  expect(first.items).toHaveLength(10);
  const second = await client.list(ConfigMaps, {
    namespace,
    labelSelector: "test=paging",
    limit: 10,
    continue: first.metadata.continue!,
  });
  expect(second.items.map((item) => item.metadata!.name)).toEqual(names.slice(10, 20));
});

test("field selectors and metadata-only answers", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  expect((await client.list(Secrets, { namespace, metadataOnly: true })).items).toEqual([]);
  await createAll(client, namespace, ["one", "two"]);
  const { items } = await client.list(ConfigMaps, {
    namespace,
    fieldSelector: "metadata.name=two",
    metadataOnly: true,
  });
  expect(items).toMatchObject([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "two" } }]);
  expect(items[0]).not.toHaveProperty("data");
  const one = await client.get(ConfigMaps, { namespace, name: "one" }, { metadataOnly: true });
  expect(one).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } });
  expect(one).not.toHaveProperty("data");
});

test("a watch tells of every change until it is given up", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const { metadata } = await client.list(ConfigMaps, { namespace, limit: 1 });
  const stop = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    const selection = { namespace, fieldSelector: "metadata.name=one" };
    const options = { ...selection, resourceVersion: metadata.resourceVersion!, signal: stop.signal };
    for await (const event of client.watch(ConfigMaps, options)) {
      if (event.type === "BOOKMARK") continue;
      seen.push(`${event.type} ${event.object.data?.["a"]}`);
      if (event.type === "DELETED") return;
    }
  })();
  const key = { namespace, name: "one" };
  await client.create(ConfigMaps, { metadata: key, data: { a: "1" } });
  await client.patch(ConfigMaps, key, { type: "merge", body: { data: { a: "2" } } });
  await client.delete(ConfigMaps, key);
  await watching;
  expect(seen).toEqual(["ADDED 1", "MODIFIED 2", "DELETED 2"]);
  stop.abort();
});

test("custom resources are typed by their own definition, and their status is written apart", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const group = `${namespace}.example.com`;
  const name = `things.${group}`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await client.create(CustomResourceDefinitions, {
    metadata: { name },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing" },
      versions: [{ name: "v1", served: true, storage: true, schema, subresources: { status: {} } }],
    },
  });
  const Things = defineResource<Thing>(`${group}/v1`, "Thing", "things");
  await expect
    .poll(
      () => client.create(Things, { metadata: { namespace, name: "one" }, spec: { size: 1 } }).catch(() => undefined),
      {
        timeout: 60_000,
      },
    )
    .toMatchObject({ kind: "Thing", spec: { size: 1 } });
  const key = { namespace, name: "one" };
  const thing = { ...(await client.get(Things, key)), spec: { size: 2 }, status: { ready: true } };
  expect(await client.update(Things, thing, { subresource: "status" })).toMatchObject({
    spec: { size: 1 },
    status: { ready: true },
  });
  const changed = await client.patch(Things, key, {
    type: "merge",
    body: { spec: { size: 3 }, status: { ready: false } },
  });
  expect(changed).toMatchObject({ spec: { size: 3 }, status: { ready: true } });
  await client.delete(CustomResourceDefinitions, { name });
});

test("raw answers come as they are", async () => {
  const client = await testClient();
  expect(await client.raw("/readyz")).toMatchObject({ status: 200, body: "ok" });
  expect(await client.raw("/nowhere")).toMatchObject({ status: 404 });
});

async function createAll(client: Client, namespace: string, names: readonly string[]): Promise<void> {
  const waiting = [...names];
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      await client.create(ConfigMaps, { metadata: { namespace, name, labels: { test: "paging" } }, data: { a: "1" } });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
