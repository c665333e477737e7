import { MySQLClusters, type MySQLCluster } from "@moco-ts/api";
import { installDefinitions, testClient, testNamespace } from "@moco-ts/api/testing";
import {
  Applier,
  ConfigMaps,
  CronJobs,
  Jobs,
  PodDisruptionBudgets,
  RoleBindings,
  Roles,
  Secrets,
  ServiceAccounts,
  Services,
  StatefulSets,
  type Client,
  type Configuration,
  type KubeObject,
  type Resource,
  type StatefulSet,
} from "@moco-ts/kube";
import { allMysqlUsers, fieldManager } from "@moco-ts/api";
import { expect, test } from "vitest";
import { buildBackupCronJob, buildBackupRole, buildBackupRoleBinding } from "./backup/build.ts";
import { buildGrpcSecret } from "./certificates/build.ts";
import { buildFluentBitConfigMap } from "./fluent-bit/build.ts";
import { buildPodDisruptionBudget } from "./pod-disruption-budget/build.ts";
import { buildRestoreJob, buildRestoreRole, buildRestoreRoleBinding } from "./restore/build.ts";
import { buildMyCnfSecret, buildUsersSecret } from "./secrets/build.ts";
import { buildServiceAccount } from "./service-account/build.ts";
import { buildHeadlessService, buildPrimaryService, buildReplicaService } from "./services/build.ts";
import { buildStatefulSet } from "./stateful-set/build.ts";
import { testJobConfig, testPolicy } from "./testing/clusters.ts";
import { mocoInput } from "./testing/instances.ts";
import { mocoCluster, mocoObject, mocoService, mocoStatefulSet, mocoStatefulSetFields } from "./testing/moco.ts";

/** One object that a cluster has. */
type Wish = readonly [Resource, Configuration<KubeObject>];

function wish<T extends KubeObject>(resource: Resource<T>, configuration: Configuration<T>): Wish {
  return [resource, configuration];
}

const leaf = { certificate: "...", privateKey: "..." };

/** All that version 1 makes of the cluster, but for my.cnf, whose contents were patched when the fixtures were made. */
function version1(cluster: MySQLCluster): Wish[] {
  const passwords = Object.fromEntries(allMysqlUsers.map(({ secretKey }) => [secretKey, "..."]));
  return [
    wish(Secrets, buildUsersSecret(cluster, passwords)),
    wish(Secrets, buildMyCnfSecret(cluster, passwords)),
    wish(Secrets, buildGrpcSecret(cluster, { authorities: "...", leaf, since: undefined })),
    wish(ConfigMaps, buildFluentBitConfigMap(cluster)!),
    wish(ServiceAccounts, buildServiceAccount(cluster)),
    wish(Services, buildHeadlessService(cluster)),
    wish(Services, buildPrimaryService(cluster)),
    wish(Services, buildReplicaService(cluster)),
    wish(PodDisruptionBudgets, buildPodDisruptionBudget(cluster, { backupIsRunning: false })!),
    wish(StatefulSets, buildStatefulSet({ ...mocoInput(), cluster })),
  ];
}

/** The cluster of the fixtures, stored in a namespace of its own, so that defaults of its definition count too. */
async function storedCluster(): Promise<{ client: Client; applier: Applier; cluster: MySQLCluster }> {
  const client = await testClient();
  await installDefinitions(client);
  const namespace = await testNamespace(client);
  const { metadata, spec, status } = mocoCluster();
  const created = await client.create(MySQLClusters, { metadata: { name: metadata.name, namespace }, spec });
  return { client, applier: new Applier({ client, fieldManager }), cluster: { ...created, status: status! } };
}

function storedByMoco(resource: Resource, { metadata }: Configuration<KubeObject>): KubeObject {
  if (resource === Services) return mocoService(metadata.name);
  return resource === StatefulSets ? mocoStatefulSet() : mocoObject(resource.kind, metadata.name);
}

/** The same as if it had been made for that cluster. */
function inPlaceOf<T>(moco: T, { metadata }: MySQLCluster): T {
  const { uid, namespace } = mocoCluster().metadata;
  const text = JSON.stringify(moco)
    .replaceAll(uid!, metadata.uid!)
    .replaceAll(`"${namespace}"`, `"${metadata.namespace}"`);
  return JSON.parse(text) as T;
}

/** Without what differs from object to object, and what controllers and allocators write. */
function comparable(object: KubeObject & { spec?: Record<string, unknown>; status?: object }): object {
  const { status: _, ...rest } = structuredClone(object);
  for (const field of ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"] as const) {
    delete rest.metadata![field];
  }
  if (rest.kind === "Service") return withoutAllocations(rest);
  // The partition is the rollout's.
  return rest.kind === "StatefulSet" ? { ...rest, spec: { ...rest.spec, updateStrategy: "RollingUpdate" } } : rest;
}

function withoutAllocations({ spec = {}, ...service }: KubeObject & { spec?: Record<string, unknown> }): object {
  const { clusterIP, clusterIPs: _, ports, ...rest } = spec;
  const chosen = (ports as { name: string; nodePort?: number }[]).map(({ nodePort, ...port }) =>
    port.name === "mysql" && nodePort !== undefined ? { ...port, nodePort } : port,
  );
  return { ...service, spec: { ...rest, ports: chosen, headless: clusterIP === "None" } };
}

test("version 1 makes what MOCO stores, field by field, owns the same fields, and leaves it alone then", async () => {
  const { client, applier, cluster } = await storedCluster();
  for (const [resource, configuration] of version1(cluster)) {
    const { outcome, object } = await applier.apply(resource, configuration);
    expect(outcome).toBe("created");
    expect(comparable(object)).toEqual(comparable(inPlaceOf(storedByMoco(resource, configuration), cluster)));
  }
  const key = { namespace: cluster.metadata.namespace, name: "moco-full" };
  const { metadata } = await client.get(StatefulSets, key);
  const entry = metadata!.managedFields!.find(({ manager }) => manager === fieldManager);
  expect(entry?.fieldsV1).toEqual(inPlaceOf(mocoStatefulSetFields(), cluster));

  for (const process of [applier, new Applier({ client, fieldManager })]) {
    for (const [resource, configuration] of version1(cluster)) {
      const { outcome } = await process.apply(resource, configuration);
      expect([resource.kind, outcome]).toEqual([resource.kind, "unchanged"]);
    }
  }
  expect((await client.get(StatefulSets, key)).metadata!.generation).toBe(1);
});

test("a cluster rises from version 1 to 2 in place, and its partition is nobody's but the rollout's", async () => {
  const { client, applier, cluster } = await storedCluster();
  const input = { ...mocoInput(), cluster };
  const { object } = await applier.apply(StatefulSets, buildStatefulSet(input));
  const partitioned: StatefulSet = {
    metadata: { name: "moco-full", namespace: cluster.metadata.namespace },
    spec: { updateStrategy: { rollingUpdate: { partition: 3 } } } as StatefulSet["spec"],
  };
  await client.apply(StatefulSets, partitioned, { fieldManager: "moco-rollout", force: true });
  const risen = await applier.apply(StatefulSets, buildStatefulSet({ ...input, version: 2, live: object }));
  expect(risen.outcome).toBe("updated");
  const { updateStrategy, template } = risen.object.spec!;
  expect(updateStrategy).toEqual({ type: "RollingUpdate", rollingUpdate: { partition: 3 } });
  expect(template.spec!.containers[0]!.command).toEqual(["/moco/moco-mysqld", "mysqld"]);
  const again = await applier.apply(StatefulSets, buildStatefulSet({ ...input, version: 2, live: risen.object }));
  expect(again.outcome).toBe("unchanged");
});

test("Jobs and what they may do are accepted, and left alone then", async () => {
  const { applier, cluster } = await storedCluster();
  const settings = { cluster, image: "backup:1" };
  const restore = {
    sourceName: "a",
    sourceNamespace: "b",
    restorePoint: "2026-01-01T00:00:00Z",
    jobConfig: testJobConfig(),
  };
  const wishes: Wish[] = [
    wish(CronJobs, buildBackupCronJob({ ...settings, policy: testPolicy({ timeZone: "Asia/Tokyo" }) })),
    wish(Roles, buildBackupRole(cluster)),
    wish(RoleBindings, buildBackupRoleBinding(cluster, testPolicy())),
    wish(Jobs, buildRestoreJob({ ...settings, restore })),
    wish(Roles, buildRestoreRole(cluster)),
    wish(RoleBindings, buildRestoreRoleBinding(cluster, restore)),
  ];
  for (const expected of ["created", "unchanged"]) {
    for (const [resource, configuration] of wishes) {
      const { outcome } = await applier.apply(resource, configuration);
      expect([resource.kind, outcome]).toEqual([resource.kind, expected]);
    }
  }
});
