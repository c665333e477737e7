import type { MySQLCluster } from "@moco-ts/api";
import type { KubeObject, PersistentVolumeClaim, Secret, Service } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  manifest,
  patience,
  podsOf,
  startedPods,
  startOperatorCluster,
  systemNamespace,
  type OperatorCluster,
} from "../testing/index.ts";
import { reconciles } from "./controller.ts";
import { namesOf, objectsIn, versionsOf } from "./objects.ts";

/** As long as a name may be. */
const longName = "a-cluster-with-a-name-of-forty-character";
const namespaces = ["one", "two"];
let cluster: OperatorCluster;
let atFirst: string[];

beforeAll(async () => {
  cluster = await startOperatorCluster({ name: "cluster-life" });
  await cluster.apply(...namespaces.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })));
});

afterAll(() => cluster?.down());

test("clusters with equal names of 40 characters come up in two namespaces", async () => {
  expect(longName).toHaveLength(40);
  const present = async () => namesOf(await objectsIn(cluster, "one"));
  // Kubernetes itself puts these into a new namespace.
  await expect.poll(present, patience).toEqual(["ConfigMap/kube-root-ca.crt", "ServiceAccount/default"]);
  atFirst = await present();
  await cluster.apply(...namespaces.map((namespace) => manifest({ name: longName, namespace })));
  for (const namespace of namespaces) {
    await expect.poll(() => startedPods(cluster, longName, namespace), patience).toBe(1);
  }
  const passwords = await Promise.all(
    namespaces.map((namespace) => cluster.get<Secret>("secret", `moco-${longName}`, "-n", namespace)),
  );
  expect(passwords[0]!.data!["ADMIN_PASSWORD"]).not.toBe(passwords[1]!.data!["ADMIN_PASSWORD"]);
  const identity = (namespace: string) => cluster.query(podOf(namespace), "SELECT @@server_uuid, @@hostname");
  expect(await identity("one")).not.toBe(await identity("two"));
  await expect(cluster.apply(manifest({ name: `${longName}s` }))).rejects.toThrow(/must be 40 characters or less/);
});

test("a controller that is started anew, with other images of sidecars, changes nothing", async () => {
  let before = await everything();
  const isQuiet = async () => {
    const now = await everything();
    const quiet = JSON.stringify(versionsOf(now)) === JSON.stringify(versionsOf(before));
    before = now;
    return quiet;
  };
  await expect.poll(isQuiet, { ...patience, interval: 2_000 }).toBe(true);
  const args = "/spec/template/spec/containers/0/args/-";
  const flags = ["--fluent-bit-image=other", "--mysqld-exporter-image=other"];
  const patch = flags.map((value) => ({ op: "add", path: args, value }));
  const deployment = ["deployment/moco-controller", "-n", systemNamespace];
  await cluster.kubectl("patch", ...deployment, "--type=json", "-p", JSON.stringify(patch));
  await cluster.kubectl("rollout", "status", ...deployment, "--timeout=120s");
  await expect.poll(() => reconciles(cluster), patience).toBeGreaterThanOrEqual(namespaces.length);
  expect(versionsOf(await everything())).toEqual(versionsOf(before));
});

test("while reconciliation is stopped nothing is made, put right or removed", async () => {
  const stopped = ["mysqlcluster", longName, "-n", "one"];
  const annotation = "moco.cybozu.com/reconciliation-stopped";
  await cluster.kubectl("annotate", ...stopped, `${annotation}=true`);
  await expect.poll(() => conditionOf("one", "ReconciliationActive"), patience).toBe("False");
  await cluster.kubectl("delete", "service", `moco-${longName}-replica`, "-n", "one");
  await editServiceNote("one", "edited");
  // What comes later to the same queue is done, so this one was looked at.
  await editServiceNote("two", "edited");
  await expect.poll(() => serviceNote("two"), patience).toBe("edited");
  expect(await serviceNote("one")).toBeUndefined();
  const services = await cluster.list<Service>("services", "-n", "one");
  expect(namesOf(services)).not.toContain(`Service/moco-${longName}-replica`);

  await cluster.kubectl("annotate", ...stopped, `${annotation}-`);
  await expect.poll(() => serviceNote("one"), patience).toBe("edited");
  await cluster.kubectl("get", "service", `moco-${longName}-replica`, "-n", "one");
});

test("an offline cluster has no Pods, keeps its volumes, and comes back with its data", async () => {
  const uuid = await cluster.query(podOf("one"), "SELECT @@server_uuid");
  const claims = () => cluster.list<PersistentVolumeClaim>("pvc", "-n", "one");
  const before = await claims();
  await edit("one", { offline: true });
  await expect.poll(() => podsOf(cluster, longName, "one"), patience).toEqual([]);
  expect(identities(await claims())).toEqual(identities(before));
  await edit("one", { offline: false });
  await expect.poll(() => startedPods(cluster, longName, "one"), patience).toBe(1);
  await expect.poll(() => cluster.query(podOf("one"), "SELECT @@server_uuid"), patience).toBe(uuid);
});

test("deleting a cluster leaves nothing of it, and all of its namesake", async () => {
  const others = namesOf(await objectsIn(cluster, "two"));
  await cluster.kubectl("delete", "mysqlcluster", longName, "-n", "one", "--timeout=60s");
  await expect.poll(async () => namesOf(await objectsIn(cluster, "one")), patience).toEqual(atFirst);
  const secrets = namesOf(await cluster.list<Secret>("secrets", "-n", systemNamespace));
  expect(secrets.filter((name) => name.includes(longName))).toEqual([
    `Secret/moco-agent-two.${longName}`,
    `Secret/mysql-two.${longName}`,
  ]);
  expect(namesOf(await objectsIn(cluster, "two"))).toEqual(others);
});

function podOf(namespace: string) {
  return { namespace, name: `moco-${longName}-0` };
}

/** All that is of clusters: what is in their namespaces, and their Secrets in the controller's. */
async function everything(): Promise<KubeObject[]> {
  const lists = await Promise.all(namespaces.map((namespace) => objectsIn(cluster, namespace)));
  const labels = `app.kubernetes.io/instance=${longName}`;
  return [...lists.flat(), ...(await cluster.list<Secret>("secrets", "-n", systemNamespace, "-l", labels))];
}

async function edit(namespace: string, spec: Partial<MySQLCluster["spec"]>): Promise<void> {
  const patch = JSON.stringify({ spec });
  await cluster.kubectl("patch", "mysqlcluster", longName, "-n", namespace, "--type=merge", "-p", patch);
}

function editServiceNote(namespace: string, note: string): Promise<void> {
  return edit(namespace, { primaryServiceTemplate: { metadata: { annotations: { note } } } });
}

async function serviceNote(namespace: string): Promise<string | undefined> {
  const service = await cluster.get<Service>("service", `moco-${longName}-primary`, "-n", namespace);
  return service.metadata?.annotations?.["note"];
}

async function conditionOf(namespace: string, type: string): Promise<string | undefined> {
  const { status } = await cluster.get<MySQLCluster>("mysqlcluster", longName, "-n", namespace);
  return status?.conditions?.find((each) => each.type === type)?.status;
}

function identities(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => `${metadata?.name} ${metadata?.uid}`).sort();
}
