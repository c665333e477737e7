/**
 * What is made of clusters, judged by the API server. Users may write what it refuses, and are told so then. So it is asked
 * about the users' own parts too, as they are: if it takes those, it has to take what is made of them.
 */
import {
  defaultMySQLCluster,
  fieldManager,
  MySQLClusters,
  validateMySQLCluster,
  type MySQLCluster,
} from "@moco-ts/api";
import { installDefinitions, testClient, testNamespace } from "@moco-ts/api/testing";
import {
  KubeError,
  PersistentVolumeClaims,
  PodDisruptionBudgets,
  Pods,
  Services,
  StatefulSets,
  type Client,
  type Configuration,
  type Container,
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
  type Resource,
  type Service,
} from "@moco-ts/kube";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buildFluentBitConfigMap } from "./fluent-bit/build.ts";
import { buildPodDisruptionBudget } from "./pod-disruption-budget/build.ts";
import { buildHeadlessService, buildPrimaryService, buildReplicaService } from "./services/build.ts";
import { buildStatefulSet } from "./stateful-set/build.ts";
import { testImages } from "./testing/instances.ts";
import { mocoCluster } from "./testing/moco.ts";
import { mutated, mutations } from "./testing/mutations.ts";
import { withoutBlankFields } from "./without-blanks.ts";

test("what is made of what validation accepts is taken by the API server", { timeout: 300_000 }, async () => {
  const client = await testClient();
  await installDefinitions(client);
  const namespace = await testNamespace(client);
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(mutations, async (steps) => {
      const { metadata, spec } = mocoCluster();
      const given = { metadata: { name: metadata.name, namespace }, spec: mutated(spec, steps) };
      const defaulted = defaultMySQLCluster(given, () => 5);
      const { answer: cluster } = await orRefusal(client.create(MySQLClusters, defaulted, { dryRun: true }));
      if (cluster === undefined || validateMySQLCluster(cluster).length > 0) return;
      const refused = await Promise.all(userParts(cluster).map(([resource, part]) => refusal(client, resource, part)));
      if (refused.some((each) => each !== undefined)) return;
      for (const [resource, made] of allMade(cluster)) {
        expect(await refusal(client, resource, made), JSON.stringify(made)).toBeUndefined();
      }
      taken++;
    }),
    { numRuns: 150 },
  );
  expect(taken).toBeGreaterThan(50);
});

/** An object that the API server is asked about. */
type Question = readonly [Resource, KubeObject];

function question<T extends KubeObject>(resource: Resource<T>, object: Configuration<T>): Question {
  return [resource, object as unknown as KubeObject];
}

function allMade(cluster: MySQLCluster): Question[] {
  const configMaps = { myCnf: "moco-full.1", fluentBit: buildFluentBitConfigMap(cluster)?.metadata.name };
  const input = { cluster, images: testImages, configMaps, userOptions: {} };
  const budget = buildPodDisruptionBudget(cluster, { backupIsRunning: false });
  return [
    question(StatefulSets, buildStatefulSet({ ...input, version: 1 })),
    question(StatefulSets, buildStatefulSet({ ...input, version: 2 })),
    question(Services, buildHeadlessService(cluster)),
    question(Services, buildPrimaryService(cluster)),
    question(Services, buildReplicaService(cluster)),
    ...(budget ? [question(PodDisruptionBudgets, budget)] : []),
  ];
}

/** What the user wrote, as objects of their own. */
function userParts(cluster: MySQLCluster): Question[] {
  const { spec } = withoutBlankFields(cluster);
  const { namespace } = cluster.metadata;
  const metadata = { name: "part", namespace };
  const claims = spec.volumeClaimTemplates.map((template) => {
    const claim = {
      metadata: { ...template.metadata, namespace },
      spec: { accessModes: ["ReadWriteOnce"], ...template.spec },
    };
    return question(PersistentVolumeClaims, claim as Configuration<PersistentVolumeClaim>);
  });
  const services = [spec.primaryServiceTemplate, spec.replicaServiceTemplate].map((template) => {
    const ports = template?.spec?.ports?.length ? template.spec.ports : [{ port: 3306 }];
    const service = { metadata: { ...template?.metadata, ...metadata }, spec: { ...template?.spec, ports } };
    return question(Services, service as Configuration<Service>);
  });
  return [userPod(spec, namespace), ...claims, ...services];
}

/** Probes get their handlers, and containers that only the operator adds get theirs, as far as they can be overwritten. */
function userPod({ podTemplate }: MySQLCluster["spec"], namespace: string): Question {
  const { metadata, spec, overwriteContainers = [] } = podTemplate;
  const handler = { httpGet: { path: "/", port: 1 } };
  const mysqld = (container: Partial<Container>): Partial<Container> => ({
    ...container,
    lifecycle: undefined,
    livenessProbe: { ...container.livenessProbe, ...handler },
    readinessProbe: { ...container.readinessProbe, ...handler },
    startupProbe: { ...container.startupProbe, ...handler },
  });
  const containers = (spec.containers ?? []).map((each) =>
    each.name === "mysqld" ? mysqld(each as Partial<Container>) : each,
  );
  const overwritten = overwriteContainers.map((each, index) => ({ ...each, name: `added-${index}`, image: "added" }));
  const { serviceAccountName: _forced, ...rest } = spec;
  const pod = {
    metadata: { ...metadata, name: "part", namespace },
    spec: { ...rest, containers: [...containers, ...overwritten] },
  };
  return question(Pods, pod as Configuration<Pod>);
}

/** Why the API server does not take it by server-side apply; undefined if it does. */
async function refusal(client: Client, resource: Resource, object: KubeObject): Promise<string | undefined> {
  return (await orRefusal(client.apply(resource, object, { fieldManager, dryRun: true }))).refusal;
}

/** The answer, or why there is none. */
async function orRefusal<T>(request: Promise<T>): Promise<{ answer?: T; refusal?: string }> {
  try {
    return { answer: await request };
  } catch (error) {
    if (error instanceof KubeError && [400, 422, 500].includes(error.status ?? 0)) return { refusal: error.message };
    throw error;
  }
}
