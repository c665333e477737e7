import { clusterLabels } from "@moco-ts/api";
import { testClient, testCluster, testNamespace } from "@moco-ts/api/testing";
import { Metrics, silentLogger } from "@moco-ts/base";
import { Pods, type Client } from "@moco-ts/kube";
import { expect, onTestFinished, test } from "vitest";
import { createPodInformer, instanceOrdinal, podsOf } from "./pods.ts";

test("a cluster's instances are known by their ordinals, without what nobody reads", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  for (const name of ["moco-a-10", "moco-a-2", "moco-a-0", "copy-of-moco-a-0", "moco-a-x"]) {
    await createPod(client, namespace, name, clusterLabels("a"));
  }
  await createPod(client, namespace, "moco-a-b-0", clusterLabels("a-b"));
  await createPod(client, namespace, "moco-a-7", { ...clusterLabels("a"), "app.kubernetes.io/name": "mysql-backup" });

  const pods = createPodInformer(client, { logger: silentLogger, metrics: new Metrics() });
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  void pods.run(stopping.signal);
  await pods.waitForSync(stopping.signal);

  const found = podsOf({ pods }, testCluster({}, { name: "a", namespace }));
  expect(found.map(instanceOrdinal)).toEqual([0, 2, 10]);
  expect(found[0]?.spec).toEqual({
    nodeName: "somewhere",
    volumes: [{ name: "mysql-data", persistentVolumeClaim: { claimName: "mysql-data-moco-a-0" } }],
    containers: [{ name: "mysqld", image: "mysql:9.7" }],
    initContainers: [{ name: "moco-init", image: "mysql:9.7" }],
  });
  expect(found[0]?.status?.phase).toBe("Pending");
});

async function createPod(client: Client, namespace: string, name: string, labels: Record<string, string>) {
  await client.create(Pods, {
    metadata: { name, namespace, labels },
    spec: {
      nodeName: "somewhere",
      containers: [{ name: "mysqld", image: "mysql:9.7", env: [{ name: "A", value: "1" }] }],
      initContainers: [{ name: "moco-init", image: "mysql:9.7", command: ["true"] }],
      volumes: [
        { name: "mysql-data", persistentVolumeClaim: { claimName: `mysql-data-${name}` } },
        { name: "tmp", emptyDir: {} },
      ],
    },
  });
}
