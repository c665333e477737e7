import { expect, test } from "vitest";
import { sharedControlPlane } from "@moco-ts/local-kubernetes";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { ConfigMaps } from "../types/generated/index.ts";
import { connect } from "./connect.ts";
import { isNotFound } from "./errors.ts";
import { loadConfig } from "./in-cluster.ts";

test("example: apply an object, read it, and delete exactly the one that was read", async () => {
  const { kubeconfigPath } = await sharedControlPlane();
  const namespace = await testNamespace(await testClient());
  const signal = AbortSignal.timeout(10_000);

  const config = await loadConfig({ environment: { KUBECONFIG: kubeconfigPath } });
  const client = connect(config, { userAgent: "example/1.0" });

  const key = { namespace, name: "greeting" };
  const wanted = { metadata: key, data: { text: "hello" } };
  await client.apply(ConfigMaps, wanted, { fieldManager: "example", signal });

  const greeting = await client.get(ConfigMaps, key, { signal });
  expect(greeting.data).toEqual({ text: "hello" });

  await client.delete(ConfigMaps, key, { preconditions: { uid: greeting.metadata!.uid! }, signal });
  const error = await client.get(ConfigMaps, key, { signal }).catch((error: unknown) => error);
  expect(isNotFound(error)).toBe(true);

  await client.close();
});
