import { expect, test } from "vitest";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { Secrets } from "../types/generated/index.ts";
import { keyOf } from "../types/object.ts";
import { createInformer } from "./create-informer.ts";

test("example: pass keys of changed Secrets on, and find Secrets by their type", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const create = (name: string, type: string) => client.create(Secrets, { metadata: { namespace, name }, type });
  await create("one", "example.com/password");

  const secrets = createInformer(client, Secrets, {
    namespaces: [namespace],
    indexes: { type: (secret) => [secret.type ?? "Opaque"] },
    // Nobody here reads what is in them, so it is not kept.
    transform: ({ data: _data, ...secret }) => secret,
  });
  const changed = new Set<string>();
  secrets.subscribe({
    added: (secret) => changed.add(keyOf(secret)),
    updated: (secret) => changed.add(keyOf(secret)),
    deleted: (secret) => changed.add(keyOf(secret)),
  });

  const stop = new AbortController();
  const running = secrets.run(stop.signal);
  await secrets.waitForSync(AbortSignal.timeout(10_000));
  expect(secrets.cache.byIndex("type", "example.com/password").map(keyOf)).toEqual([`${namespace}/one`]);

  await create("two", "example.com/key");
  await expect.poll(() => [...changed]).toEqual([`${namespace}/one`, `${namespace}/two`]);

  stop.abort();
  await running;
});
