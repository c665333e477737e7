import { expect, test } from "vitest";
import { stringify } from "yaml";
import { MySQLClusters, type MySQLCluster } from "../mysqlcluster/types.ts";
import { installDefinitions, testClient, testNamespace } from "../testing/cluster.ts";
import { kubectl } from "../testing/kubectl.ts";

async function setup() {
  const client = await testClient();
  await installDefinitions(client);
  const namespace = await testNamespace(client);
  const apply = (object: unknown, ...flags: string[]) =>
    kubectl(["apply", "-n", namespace, "-f", "-", ...flags], stringify(object));
  const get = (name: string): Promise<MySQLCluster> => client.get(MySQLClusters, { namespace, name });
  return { client, namespace, apply, get };
}

/** An explicit null in these is kept. */
const nullableFields = { mysqlConfigMapName: null, replicationSourceSecretName: null, backupPolicyName: null };

/** As a user writes it. */
function manifest(name: string, spec: object = {}, mysqld: object = {}) {
  return {
    apiVersion: "moco.cybozu.com/v1beta2",
    kind: "MySQLCluster",
    metadata: { name },
    spec: {
      podTemplate: { spec: { containers: [{ name: "mysqld", image: "mysql:8.4", ...mysqld }] } },
      volumeClaimTemplates: [
        { metadata: { name: "mysql-data" }, spec: { resources: { requests: { storage: "1Gi" } } } },
      ],
      ...spec,
    },
  };
}

test("the server fills in defaults, and nothing that was not asked for", async () => {
  const { apply, get } = await setup();
  const jobConfig = {
    serviceAccountName: "backup",
    bucketConfig: { bucketName: "bucket" },
    workVolume: { emptyDir: {} },
  };
  const restore = { sourceName: "a", sourceNamespace: "b", restorePoint: "2026-01-01T00:00:00Z", jobConfig };
  expect((await apply(manifest("defaults", { restore }))).problems).toBe("");
  const { spec } = await get("defaults");
  expect(spec).toEqual({
    ...manifest("defaults").spec,
    replicas: 1,
    maxDelaySeconds: 60,
    maxDelaySecondsForPodDeletion: 0,
    startupWaitSeconds: 3600,
    restore: {
      ...restore,
      jobConfig: {
        ...jobConfig,
        bucketConfig: { bucketName: "bucket", backendType: "s3" },
        threads: 4,
        cpu: 4,
        memory: "4Gi",
      },
    },
  });
});

test("explicit nulls go in: those that mean something are kept, others give way to defaults", async () => {
  const { client, namespace, apply, get } = await setup();
  const nothing = {
    replicas: null,
    primaryServiceTemplate: null,
    collectors: null,
    restore: null,
    maxDelaySeconds: null,
    logRotationSchedule: null,
    slowQueryLogConfigTmpl: null,
    offline: null,
    serverIDBase: null,
    ...nullableFields,
  };
  const mysqld = { resources: null, env: null, ports: null, securityContext: { capabilities: null, runAsUser: null } };
  const expected = {
    ...manifest("", {}, { securityContext: {} }).spec,
    replicas: 1,
    maxDelaySeconds: 60,
    maxDelaySecondsForPodDeletion: 0,
    startupWaitSeconds: 3600,
  };
  // kubectl apply leaves nulls out itself; kubectl create, Helm and others send them.
  expect((await apply({ ...manifest("applied", nothing, mysqld), status: null })).problems).toBe("");
  expect((await get("applied")).spec).toEqual(expected);
  const cluster = manifest("created", nothing, mysqld) as unknown as MySQLCluster;
  cluster.metadata.namespace = namespace;
  expect((await client.create(MySQLClusters, cluster)).spec).toEqual({ ...expected, ...nullableFields });
});

test("explicit nulls in fields that may be null go in with server-side apply", async () => {
  const { client, namespace } = await setup();
  const cluster = manifest("nulls", nullableFields) as unknown as MySQLCluster;
  cluster.metadata.namespace = namespace;
  const { spec } = await client.apply(MySQLClusters, cluster, { fieldManager: "test" });
  expect(spec).toMatchObject(nullableFields);
});

test("quantities and ports may be numbers or texts", async () => {
  const { apply, get } = await setup();
  const mysqld = {
    resources: { requests: { cpu: 2, memory: "1Gi" }, limits: { cpu: "2500m", memory: 2147483648 } },
    livenessProbe: { httpGet: { port: 80 } },
    readinessProbe: { httpGet: { port: "http" } },
  };
  expect((await apply(manifest("quantities", {}, mysqld))).problems).toBe("");
  expect((await get("quantities")).spec.podTemplate.spec.containers![0]).toMatchObject(mysqld);
});

test("what Kubernetes takes in a Pod goes in: repeated variables and ports, values left empty", async () => {
  const { apply, get } = await setup();
  const mysqld = {
    env: [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
    ],
    ports: [
      { containerPort: 53, protocol: "TCP" },
      { containerPort: 53, protocol: "UDP" },
      { containerPort: 53, name: "again" },
    ],
    imagePullPolicy: "",
  };
  expect((await apply(manifest("repeated", {}, mysqld))).problems).toBe("");
  expect((await get("repeated")).spec.podTemplate.spec.containers![0]).toMatchObject(mysqld);
});

test("kubectl apply refuses fields that there are not, and names them", async () => {
  const { apply } = await setup();
  const service = { spec: { typ: "NodePort" } };
  const { status, problems } = await apply(
    manifest("typos", { replica: 3, primaryServiceTemplate: service }, { imagee: "x" }),
  );
  expect(status).not.toBe(0);
  expect(problems).toContain('unknown field "spec.replica"');
  expect(problems).toContain('unknown field "spec.podTemplate.spec.containers[0].imagee"');
  expect(problems).toContain('unknown field "spec.primaryServiceTemplate.spec.typ"');
});

test("server-side apply refuses them too", async () => {
  const { client, namespace } = await setup();
  const cluster = manifest("typo", { replica: 3 }) as unknown as MySQLCluster;
  cluster.metadata.namespace = namespace;
  await expect(client.apply(MySQLClusters, cluster, { fieldManager: "test" })).rejects.toThrow(
    ".spec.replica: field not declared in schema",
  );
});

test("what the schema does not allow is refused with the field's name", async () => {
  const { client, namespace } = await setup();
  const jobConfig = { serviceAccountName: "a", bucketConfig: { bucketName: "b" }, workVolume: { emptyDir: {} } };
  const restore = { sourceName: "a", sourceNamespace: "b", restorePoint: "2026-01-01T00:00:00Z", jobConfig };
  const restoring = (changes: object) => ({ restore: { ...restore, ...changes } });
  const bucket = (changes: object) =>
    restoring({ jobConfig: { ...jobConfig, bucketConfig: { bucketName: "b", ...changes } } });
  const container = { name: "mysqld", image: "mysql:8.4" };
  const cases: [object, string][] = [
    [{ podTemplate: null }, "spec.podTemplate: Required value"],
    [{ podTemplate: {} }, "spec.podTemplate.spec: Required value"],
    [{ volumeClaimTemplates: [{ spec: {} }] }, "spec.volumeClaimTemplates[0].metadata: Required value"],
    [{ volumeClaimTemplates: [] }, "spec.volumeClaimTemplates"],
    [{ replicas: "three" }, "spec.replicas"],
    [{ replicas: 2 ** 40 }, "spec.replicas"],
    [{ maxDelaySeconds: -1 }, "spec.maxDelaySeconds"],
    [{ startupWaitSeconds: -1 }, "spec.startupWaitSeconds"],
    [{ maxDelaySecondsForPodDeletion: -1 }, "spec.maxDelaySecondsForPodDeletion"],
    [{ offline: "yes" }, "spec.offline"],
    [{ podTemplate: { spec: { containers: [container, container] } } }, "Duplicate value"],
    [
      { podTemplate: { spec: { containers: [container] }, overwriteContainers: [{ name: "mysqld" }] } },
      "spec.podTemplate.overwriteContainers[0].name: Unsupported value",
    ],
    [
      { podTemplate: { spec: { containers: [{ ...container, resources: { requests: { cpu: "much" } } }] } } },
      "spec.podTemplate.spec.containers[0].resources.requests.cpu",
    ],
    [{ restore: {} }, "spec.restore.sourceName: Required value"],
    [restoring({ sourceName: "" }), "spec.restore.sourceName"],
    [restoring({ restorePoint: "yesterday" }), "spec.restore.restorePoint"],
    [restoring({ jobConfig: { ...jobConfig, threads: 0 } }), "spec.restore.jobConfig.threads"],
    [restoring({ jobConfig: { ...jobConfig, memory: "lots" } }), "spec.restore.jobConfig.memory"],
    [bucket({ bucketName: "" }), "spec.restore.jobConfig.bucketConfig.bucketName"],
    [bucket({ endpointURL: "s3.example.com" }), "spec.restore.jobConfig.bucketConfig.endpointURL"],
    [bucket({ backendType: "ftp" }), "spec.restore.jobConfig.bucketConfig.backendType: Unsupported value"],
  ];
  for (const [spec, problem] of cases) {
    const cluster = manifest("wrong", spec) as unknown as MySQLCluster;
    cluster.metadata.namespace = namespace;
    const refusal = await client.create(MySQLClusters, cluster, { dryRun: true }).then(
      () => "it was not refused",
      (error: unknown) => (error as Error).message,
    );
    expect.soft(refusal, JSON.stringify(spec)).toContain(problem);
  }
});

test("kubectl explain knows our fields and those of Kubernetes", async () => {
  await setup();
  const { output } = await kubectl(["explain", "mysqlcluster.spec.replicas"]);
  expect(output).toContain("Number of instances: an odd number.");
  const container = await kubectl(["explain", "mysqlcluster.spec.podTemplate.spec.containers"]);
  expect(container.output).toMatch(/resources\s+<Object>/);
  expect(container.output).toMatch(/name\s+<string> -required-/);
  const policy = await kubectl([
    "explain",
    "backuppolicy.spec.jobConfig.workVolume.ephemeral.volumeClaimTemplate.spec",
  ]);
  expect(policy.output).toMatch(/storageClassName\s+<string>/);
});

test("kubectl get prints the columns in the order that users know", async () => {
  const { client, namespace, apply } = await setup();
  await apply(manifest("columns"));
  const condition = (type: string, status: string) => ({
    type,
    status,
    reason: "Test",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  });
  await client.patch(
    MySQLClusters,
    { namespace, name: "columns" },
    {
      type: "merge",
      body: {
        status: {
          currentPrimaryIndex: 2,
          syncedReplicas: 3,
          errantReplicas: 1,
          backup: { time: "2026-01-02T03:04:05Z" },
          conditions: [
            condition("Available", "True"),
            condition("Healthy", "False"),
            condition("ClusteringActive", "True"),
            condition("ReconciliationActive", "Unknown"),
          ],
        },
      },
    },
    { subresource: "status" },
  );
  const { output } = await kubectl(["get", "mysqlcluster", "-n", namespace]);
  const rows = output
    .trim()
    .split("\n")
    .map((line) => line.split(/\s{2,}/));
  expect(rows[0]).toEqual([
    "NAME",
    "AVAILABLE",
    "HEALTHY",
    "PRIMARY",
    "SYNCED REPLICAS",
    "ERRANT REPLICAS",
    "CLUSTERING ACTIVE",
    "RECONCILE ACTIVE",
    "LAST BACKUP",
  ]);
  expect(rows[1]).toEqual(["columns", "True", "False", "2", "3", "1", "True", "Unknown", "2026-01-02T03:04:05Z"]);
});
