/** What the API server refuses, or can't do now: it is tried again, counted each time, and nothing is lost. */
import { claimTemplate } from "@moco-ts/api/testing";
import {
  ConnectionError,
  defineResource,
  PersistentVolumeClaims,
  StatefulSets,
  ValidatingAdmissionPolicies,
  ValidatingAdmissionPolicyBindings,
  type Client,
  type KubeObject,
} from "@moco-ts/kube";
import { describeError } from "@moco-ts/base";
import { expect, onTestFinished, test } from "vitest";
import { mortal } from "./testing/mortal.ts";
import { startProcess } from "./testing/process.ts";
import { dataTemplate, patience, runningCluster, surroundings } from "./testing/surroundings.ts";

test("a StatefulSet that would be refused is never deleted", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const [before, pods] = [await cluster.statefulSet(), await cluster.podIdentities()];
  const allow = await refuseStatefulSets(client, namespace);
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "2Gi")] });
  const process = await startProcess(client);
  for (const errors of [1, 2, 3]) {
    await expect(process.reconcile(cluster.key)).rejects.toThrow(/is left as it is.*no StatefulSets today/);
    expect(await process.counter("statefulset_recreate_errors_total", cluster.key)).toBe(errors);
  }
  expect((await cluster.statefulSet()).metadata?.uid).toBe(before.metadata?.uid);
  expect(await cluster.records()).toBe(0);
  // Disks don't wait for it.
  expect(await cluster.sizes()).toEqual(["2Gi", "2Gi", "2Gi"]);
  await allow();
  expect((await process.reconcileUntilDone(cluster.key)).recreated).toBe(true);
  await cluster.settled();
  expect(await cluster.podIdentities()).toEqual(pods);
  expect(await process.counter("statefulset_recreate_total", cluster.key)).toBe(1);
});

test("one that is refused after the deletion is made as soon as it can be", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const pods = await cluster.podIdentities();
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "2Gi")] });
  const dead = mortal(client, { step: "create StatefulSet", when: "before" });
  await expect((await startProcess(dead.client)).reconcile(cluster.key)).rejects.toThrow("died");
  const allow = await refuseStatefulSets(client, namespace);

  const process = await startProcess(client);
  for (const errors of [1, 2, 3]) {
    await expect(process.reconcile(cluster.key)).rejects.toThrow(/no StatefulSets today/);
    expect(await process.counter("statefulset_recreate_errors_total", cluster.key)).toBe(errors);
    expect(await cluster.podIdentities()).toEqual(pods);
    expect(await cluster.records()).toBe(1);
  }
  await allow();
  await process.reconcileUntilDone(cluster.key);
  await cluster.settled();
  expect(await cluster.podIdentities()).toEqual(pods);
  expect(await cluster.records()).toBe(0);
  expect(await process.counter("statefulset_recreate_total", cluster.key)).toBe(1);
});

test("one for which the API server is away, and its answers are lost", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const pods = await cluster.podIdentities();
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "2Gi")] });
  const process = await startProcess(withoutAnswers(client, 2));
  for (const errors of [1, 2]) {
    await expect(process.reconcile(cluster.key)).rejects.toThrow("no answer");
    expect(await process.counter("statefulset_recreate_errors_total", cluster.key)).toBe(errors);
  }
  await process.reconcile(cluster.key);
  await cluster.settled();
  expect(await cluster.podIdentities()).toEqual(pods);
  expect(await cluster.records()).toBe(0);
});

test("claims beyond a quota: others grow, failures are counted, and the StatefulSet waits", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const before = await cluster.statefulSet();
  const quota = { metadata: { name: "disks", namespace }, spec: { hard: { "requests.storage": "5Gi" } } };
  await client.create(ResourceQuotas, quota);
  const isCounted = async () => (await client.get(ResourceQuotas, quota.metadata)).status?.used?.["requests.storage"];
  await expect.poll(isCounted, patience).toBe("3Gi");
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "2Gi")] });
  const process = await startProcess(client);
  for (const errors of [1, 2, 3]) {
    await expect(process.reconcile(cluster.key)).rejects.toThrow(
      /mysql-data-moco-c-2: failed to resize from 1Gi to 2Gi: .*exceeded quota: disks/,
    );
    expect(await process.counter("volume_resized_errors_total", cluster.key)).toBe(errors);
  }
  expect(await cluster.sizes()).toEqual(["2Gi", "2Gi", "1Gi"]);
  expect((await cluster.statefulSet()).metadata?.uid).toBe(before.metadata?.uid);
  expect(await process.counter("volume_resized_total", cluster.key)).toBe(0);
  await client.delete(ResourceQuotas, quota.metadata);
  await process.reconcileUntilDone(cluster.key);
  expect(await cluster.sizes()).toEqual(["2Gi", "2Gi", "2Gi"]);
  expect(await process.counter("volume_resized_total", cluster.key)).toBe(1);
  expect((await cluster.settled()).metadata?.uid).not.toBe(before.metadata?.uid);
});

test("volumes that an autoresizer has made larger are left alone, also in the middle of it", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const grow = (name: string, storage: string) =>
    client.patch(
      PersistentVolumeClaims,
      { namespace, name },
      {
        type: "merge",
        body: { spec: { resources: { requests: { storage } } } },
      },
    );
  await grow("mysql-data-moco-c-1", "5Gi");
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "2Gi")] });
  // The other one is made larger after it was looked at: a smaller request would take that back.
  let resized = false;
  const racing = beforePatching(client, async (name) => {
    if (name !== "mysql-data-moco-c-2" || resized) return;
    resized = true;
    await grow(name, "7Gi");
  });
  const process = await startProcess(racing);
  await expect(process.reconcile(cluster.key)).rejects.toThrow(/modified/);
  expect(await process.counter("volume_resized_errors_total", cluster.key)).toBe(0);
  await process.reconcileUntilDone(cluster.key);
  expect(await cluster.sizes()).toEqual(["2Gi", "5Gi", "7Gi"]);
});

test("several templates, several clusters: each grows by itself, and a class that forbids it holds up no other", async () => {
  const { client, namespace, classes } = await surroundings();
  const templates = (data: string, logs: string) => [
    dataTemplate(classes.growing, data),
    claimTemplate("logs", logs, classes.fixed),
  ];
  const one = await runningCluster(
    client,
    namespace,
    { replicas: 1, volumeClaimTemplates: templates("1Gi", "1Gi") },
    "one",
  );
  const two = await runningCluster(
    client,
    namespace,
    { replicas: 1, volumeClaimTemplates: templates("1Gi", "1Gi") },
    "two",
  );
  await one.edit({ volumeClaimTemplates: templates("2Gi", "2Gi") });
  const process = await startProcess(client);
  expect((await process.reconcile(one.key)).recreated).toBe(true);
  expect((await process.reconcile(two.key)).recreated).toBe(false);
  // In the order of their names: logs, mysql-data.
  expect(await one.sizes()).toEqual(["1Gi", "2Gi"]);
  expect(await two.sizes()).toEqual(["1Gi", "1Gi"]);
  expect(await process.counter("volume_resized_total", one.key)).toBe(1);
  expect(await process.counter("volume_resized_errors_total", one.key)).toBe(0);
  expect(await process.counter("volume_resized_total", two.key)).toBe(0);
});

test("labels and annotations that the flags name follow the templates, and no other", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, {
    replicas: 1,
    volumeClaimTemplates: [dataTemplate(classes.growing)],
  });
  const metadata = { labels: { team: "a", other: "x" }, annotations: { limit: "9Gi", note: "y" } };
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "1Gi", metadata)] });
  const flags = ["--pvc-sync-label-keys=team", "--pvc-sync-annotation-keys=limit,absent"];
  const watched = mortal(client);
  const process = await startProcess(watched.client, { flags });
  await process.reconcileUntilDone(cluster.key);
  const copied = async () => {
    const { labels = {}, annotations = {} } = (await cluster.claims())[0]!.metadata!;
    return [labels["team"], labels["other"], annotations["limit"], annotations["note"]];
  };
  expect(await copied()).toEqual(["a", undefined, "9Gi", undefined]);
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "1Gi")] });
  await process.reconcileUntilDone(cluster.key);
  expect(await copied()).toEqual(["a", undefined, "9Gi", undefined]);
  expect(watched.made.filter((step) => step.includes("Claim"))).toHaveLength(1);
});

interface ResourceQuota extends KubeObject {
  spec?: { hard: Record<string, string> };
  status?: { used?: Record<string, string> };
}
const ResourceQuotas = defineResource<ResourceQuota>("v1", "ResourceQuota", "resourcequotas");

/** No StatefulSet may be made in the namespace, until the returned function is called. */
async function refuseStatefulSets(client: Client, namespace: string): Promise<() => Promise<void>> {
  const metadata = { name: namespace };
  await client.create(ValidatingAdmissionPolicies, {
    metadata,
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["statefulsets"] },
        ],
      },
      validations: [{ expression: "false", message: "no StatefulSets today" }],
    },
  });
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  await client.create(ValidatingAdmissionPolicyBindings, {
    metadata,
    spec: { policyName: namespace, validationActions: ["Deny"], matchResources: { namespaceSelector } },
  });
  let refused = true;
  const allow = async (): Promise<void> => {
    if (!refused) return;
    refused = false;
    await client.delete(ValidatingAdmissionPolicyBindings, metadata);
    await client.delete(ValidatingAdmissionPolicies, metadata);
  };
  onTestFinished(allow);
  const labels = { probe: "yes" };
  const probe = {
    metadata: { namespace, name: "probe" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "none", image: "none" }] } },
    },
  };
  const isRefused = async () =>
    describeError(await client.create(StatefulSets, probe, { dryRun: true }).catch((error: unknown) => error));
  await expect.poll(isRefused, patience).toContain("no StatefulSets today");
  return allow;
}

/** The first answers to the creation of a StatefulSet, each after it was carried out or not, never arrive. */
function withoutAnswers(client: Client, lost: number): Client {
  let left = lost;
  const create: Client["create"] = async (resource, object, options) => {
    const isReal = resource.kind === "StatefulSet" && !options?.dryRun;
    if (isReal && left === 1) await client.create(resource, object, options);
    if (isReal && left-- > 0) throw new ConnectionError("no answer");
    return client.create(resource, object, options);
  };
  return new Proxy(client, {
    get: (target, name: keyof Client) => (name === "create" ? create : target[name].bind(target)),
  });
}

/** Somebody else is faster. */
function beforePatching(client: Client, act: (name: string) => Promise<void>): Client {
  const patch: Client["patch"] = async (resource, key, ...rest) => {
    await act(key.name);
    return client.patch(resource, key, ...rest);
  };
  return new Proxy(client, {
    get: (target, name: keyof Client) => (name === "patch" ? patch : target[name].bind(target)),
  });
}
