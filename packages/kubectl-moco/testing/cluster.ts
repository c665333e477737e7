/** For API tests: a MySQLCluster with Pods as the operator and a kubelet would have made them. */
import { clusterLabels, labelKeys, MySQLClusters, namesOf, podName, type MySQLClusterSpec } from "@moco-ts/api";
import { installDefinitions, testClient, testCluster, testNamespace } from "@moco-ts/api/testing";
import { Pods, Secrets, type Client } from "@moco-ts/kube";

export interface TestCluster {
  readonly client: Client;
  readonly namespace: string;
  /** Of the Pod with this index. */
  readonly annotations: (index: number) => Promise<Record<string, string>>;
}

export interface TestClusterOptions {
  readonly spec?: Partial<MySQLClusterSpec>;
  readonly annotations?: Record<string, string>;
  /** Default 0. */
  readonly primary?: number;
  readonly errant?: number[];
  /** Indexes of Pods that are not Ready. */
  readonly notReady?: number[];
}

/** A cluster `test` in a namespace of its own. */
export async function createCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { spec = {}, annotations = {}, primary = 0, errant = [], notReady = [] } = options;
  const client = await testClient();
  await installDefinitions(client);
  const namespace = await testNamespace(client);
  const key = { namespace, name: "test" };
  const cluster = testCluster({ replicas: 3, ...spec }, { ...key, annotations });
  await client.create(MySQLClusters, cluster);
  const status = { currentPrimaryIndex: primary, errantReplicas: errant.length, errantReplicaList: errant };
  await client.patch(MySQLClusters, key, { type: "merge", body: { status } }, { subresource: "status" });
  const stringData = { READONLY_PASSWORD: "for-reading", WRITABLE_PASSWORD: "for-writing", ADMIN_PASSWORD: "for-all" };
  await client.create(Secrets, { metadata: { namespace, name: namesOf(key).usersSecret }, stringData });
  const count = spec.offline ? 0 : (spec.replicas ?? 3);
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      createPod(client, namespace, index, { isPrimary: index === primary, isReady: !notReady.includes(index) }),
    ),
  );
  return {
    client,
    namespace,
    async annotations(index) {
      const pod = await client.get(Pods, { namespace, name: podName("test", index) });
      return pod.metadata?.annotations ?? {};
    },
  };
}

async function createPod(
  client: Client,
  namespace: string,
  index: number,
  { isPrimary, isReady }: { isPrimary: boolean; isReady: boolean },
): Promise<void> {
  const key = { namespace, name: podName("test", index) };
  const labels = { ...clusterLabels("test"), [labelKeys.role]: isPrimary ? "primary" : "replica" };
  const containers = [{ name: "mysqld", image: "mysql:8.4" }];
  await client.create(Pods, {
    metadata: { ...key, labels },
    // On no node: whoever runs a command is told so.
    spec: { containers, terminationGracePeriodSeconds: 0 },
  });
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
  const running = { running: { startedAt: "2026-01-01T00:00:00Z" } };
  const containerStatuses = [
    { name: "mysqld", image: "mysql:8.4", imageID: "", ready: isReady, restartCount: 0, started: true, state: running },
  ];
  const body = { status: { phase: "Running", conditions, containerStatuses } };
  await client.patch(Pods, key, { type: "merge", body }, { subresource: "status" });
}
