import { expect, test } from "vitest";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { ConfigMaps, type ConfigMap } from "../types/generated/index.ts";
import { Reflector } from "./reflector.ts";

test("example: keep a plain Map like a collection of the server", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);

  let colours = new Map<string, string | undefined>();
  const colourOf = (object: ConfigMap): string | undefined => object.data?.["colour"];
  const sink = {
    prepare: (object: ConfigMap) => object,
    replace: (objects: ReadonlyMap<string, ConfigMap>) => {
      colours = new Map(Array.from(objects, ([key, object]) => [key, colourOf(object)]));
    },
    upsert: (key: string, object: ConfigMap) => void colours.set(key, colourOf(object)),
    remove: (key: string) => void colours.delete(key),
  };
  const reflector = new Reflector(client, ConfigMaps, sink, { namespace, fieldSelector: "metadata.name=sky" });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);

  await client.create(ConfigMaps, { metadata: { namespace, name: "sky" }, data: { colour: "blue" } });
  await expect.poll(() => [...colours]).toEqual([[`${namespace}/sky`, "blue"]]);
  await client.delete(ConfigMaps, { namespace, name: "sky" });
  await expect.poll(() => [...colours]).toEqual([]);

  stop.abort();
  await running;
});
