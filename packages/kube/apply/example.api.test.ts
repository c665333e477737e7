import { expect, test } from "vitest";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { ConfigMaps, Services } from "../types/generated/index.ts";
import { Applier } from "./applier.ts";
import { controllerReference } from "./owner.ts";
import { prune } from "./prune.ts";

test("example: make a Service for an owner, leave it alone while it is right, and remove it when it is not wanted", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const owner = await client.create(ConfigMaps, { metadata: { name: "shop", namespace } });

  const applier = new Applier({ client, fieldManager: "shop-controller" });
  const labels = { "app.kubernetes.io/created-by": "shop-controller" };
  const configuration = {
    metadata: { name: "shop", namespace, labels, ownerReferences: [controllerReference(ConfigMaps, owner)] },
    spec: { selector: { app: "shop" }, ports: [{ port: 80 }] },
  };
  const first = await applier.apply(Services, configuration);
  expect(first.outcome).toBe("created");

  // A controller passes what its cache has: no request is made.
  const second = await applier.apply(Services, configuration, { live: first.object });
  expect(second.outcome).toBe("unchanged");

  const pruned = await prune({ client, owner, labels, kinds: [{ resource: Services, keep: [] }] });
  expect(pruned).toEqual([{ kind: "Service", key: `${namespace}/shop` }]);
});
