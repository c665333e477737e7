import { expect, test } from "vitest";
import type { Client } from "../rest/client.ts";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { recording } from "../testing/recording.ts";
import { ConfigMaps, Secrets, type ConfigMap } from "../types/generated/index.ts";
import { controllerReference } from "./owner.ts";
import { prune } from "./prune.ts";

const labels = { app: "db" };

async function setup(): Promise<{ client: Client; namespace: string; owner: ConfigMap }> {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const owner = await client.create(ConfigMaps, { metadata: { name: "owner", namespace } });
  const other = await client.create(ConfigMaps, { metadata: { name: "other", namespace } });
  const objects = {
    wanted: { labels, by: owner },
    old: { labels, by: owner },
    "another-label": { labels: { app: "web" }, by: owner },
    "another-owner": { labels, by: other },
  };
  for (const [name, { labels, by }] of Object.entries(objects)) {
    const metadata = { name, namespace, labels, ownerReferences: [controllerReference(ConfigMaps, by)] };
    await client.create(ConfigMaps, { metadata });
    await client.create(Secrets, { metadata });
  }
  await client.create(ConfigMaps, { metadata: { name: "nobodys", namespace, labels } });
  return { client, namespace, owner };
}

async function names(client: Client, namespace: string): Promise<string[]> {
  const { items } = await client.list(ConfigMaps, { namespace });
  return items.map(({ metadata }) => metadata!.name!).filter((name) => name !== "kube-root-ca.crt");
}

test("only objects of a named kind that we made, carry our labels and are not wanted are deleted", async () => {
  const { client, namespace, owner } = await setup();
  const kinds = [{ resource: ConfigMaps, keep: [`${namespace}/wanted`] }];
  expect(await prune({ client, owner, labels, kinds })).toEqual([{ kind: "ConfigMap", key: `${namespace}/old` }]);
  expect(await names(client, namespace)).toEqual([
    "another-label",
    "another-owner",
    "nobodys",
    "other",
    "owner",
    "wanted",
  ]);
  const secrets = await client.list(Secrets, { namespace });
  expect(secrets.items).toHaveLength(4);
});

test("with a cache nothing is asked of the server until there is something to delete", async () => {
  const { client, namespace, owner } = await setup();
  const { items } = await client.list(ConfigMaps, { namespace });
  const recorded = recording(client);
  const run = (keep: string[]) =>
    prune({ client: recorded.client, owner, labels, kinds: [{ resource: ConfigMaps, keep, live: items }] });
  expect(await run([`${namespace}/wanted`, `${namespace}/old`])).toEqual([]);
  expect(recorded.calls).toEqual([]);
  expect(await run([`${namespace}/wanted`])).toHaveLength(1);
  expect(recorded.calls).toEqual(["delete"]);
});

test("an object that was made anew under the same name survives an old cache", async () => {
  const { client, namespace, owner } = await setup();
  const { items } = await client.list(ConfigMaps, { namespace });
  const old = items.find(({ metadata }) => metadata!.name === "old")!;
  await client.delete(ConfigMaps, { name: "old", namespace });
  const { name, labels: theirs, ownerReferences } = old.metadata!;
  await client.create(ConfigMaps, { metadata: { name, namespace, labels: theirs, ownerReferences } });
  const kinds = [{ resource: ConfigMaps, keep: [`${namespace}/wanted`], live: items }];
  expect(await prune({ client, owner, labels, kinds })).toEqual([]);
  expect(await names(client, namespace)).toContain("old");
});
