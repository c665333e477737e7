/** Volumes that have to grow at the worst moment. */
import type { Pod } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  conditionOf,
  manifest,
  mysqldContainer,
  patience,
  podsOf,
  startedPods,
  startOperatorCluster,
  systemNamespace,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { template, Volumes, type TemplateOptions } from "./volumes.ts";

let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "hardship" });
});
afterAll(() => operator?.down());

test("a full disk and a database that is down: the volume grows, and writes go on", async () => {
  await operator.apply(manifest({ name: "full", spec: { volumeClaimTemplates: [template({ storage: "3Gi" })] } }));
  await waitForCondition(operator, "full", "Healthy");
  const volumes = new Volumes(operator, "full");
  const writer = await Writer.start(operator, "full");
  const pod = { namespace: "default", name: "moco-full-0" };
  await operator.local.faults.fillVolume(
    { claim: { namespace: "default", name: "mysql-data-moco-full-0" } },
    { percent: 100 },
  );
  const full = Date.now();
  const isQuiet = async (): Promise<boolean> => {
    const last = (await writer.lines()).findLast(({ acknowledged }) => acknowledged)!.at;
    return Date.now() - Math.max(last, full) > 5_000;
  };
  await expect.poll(isQuiet, patience).toBe(true);
  // It may have ended by itself.
  await operator.local.faults.kill({ ...pod, container: "mysqld", process: "mysqld" }).catch(() => undefined);
  await waitForCondition(operator, "full", "Available", "False");

  const since = Date.now();
  await volumes.edit(template({ storage: "5Gi" }));
  await waitForCondition(operator, "full", "VolumesResized");
  expect(await volumes.sizes()).toEqual({ "mysql-data-0": "5Gi 5Gi" });
  await writer.writesAgain(since);
  await waitForCondition(operator, "full", "Healthy");
  const { acknowledged, lost, pauses } = await writer.stop("moco-full-0");
  console.info(`full disk: ${acknowledged} rows acknowledged, longest pause ${pauses[0]} ms`);
  expect(lost).toEqual([]);
  await operator.kubectl("delete", "mysqlcluster", "full");
});

test("while a rolling update has stopped: volumes grow, Pods stay, and one that is lost comes back as it was", async () => {
  await operator.apply(
    manifest({ name: "three", replicas: 3, spec: { volumeClaimTemplates: [template({ storage: "6Gi" })] } }),
  );
  await waitForCondition(operator, "three", "Healthy");
  const volumes = new Volumes(operator, "three");
  const writer = await Writer.start(operator, "three");
  const [old] = await revisions();
  const broken = { podTemplate: { spec: { containers: [mysqldContainer("localhost/moco-ts/no-such-image:dev")] } } };
  await operator.kubectl("patch", "mysqlcluster", "three", "--type=merge", "-p", JSON.stringify({ spec: broken }));
  await expect.poll(revisions, patience).toEqual([old, old, expect.not.stringMatching(old!) as string]);

  const [pods, before] = [await volumes.podIdentities(), await volumes.statefulSet()];
  await volumes.edit(template({ storage: "7Gi" }));
  await expect.poll(async () => (await volumes.statefulSet()).metadata?.uid, patience).not.toBe(before.metadata?.uid);
  const { metadata } = await volumes.statefulSet();
  await expect.poll(() => volumes.podOwners(), patience).toEqual([metadata?.uid]);
  expect(await volumes.podIdentities()).toEqual(pods);
  const sizes = async () => (await volumes.claims()).map(({ spec }) => spec?.resources?.requests?.["storage"]);
  expect(await sizes()).toEqual(["7Gi", "7Gi", "7Gi"]);

  await operator.kubectl("delete", "pod", "moco-three-1");
  await expect.poll(async () => (await revisions()).length, patience).toBe(3);
  expect((await revisions())[1]).toBe(old);
  const mended = { podTemplate: { spec: { containers: [mysqldContainer()] } } };
  await operator.kubectl("patch", "mysqlcluster", "three", "--type=merge", "-p", JSON.stringify({ spec: mended }));
  await waitForCondition(operator, "three", "Healthy", "True", 280_000);
  const { acknowledged, lost, pauses } = await writer.stop(`moco-three-${await primary()}`);
  console.info(`stopped update: ${acknowledged} rows acknowledged, longest pauses ${pauses.slice(0, 3).join(", ")} ms`);
  expect(lost).toEqual([]);
});

test("all controllers are killed while the StatefulSet is gone: it comes back, and no Pod restarts", async () => {
  const volumes = await running("sturdy");
  const pods = await volumes.podIdentities();
  const before = await volumes.statefulSet();
  // Without the garbage collector a deletion takes as long as we want.
  operator.local.controllerManager.freeze();
  await volumes.edit(template({ storage: "4Gi" }));
  const isDeleted = async () => (await volumes.statefulSet()).metadata?.deletionTimestamp;
  await expect.poll(isDeleted, patience).toBeDefined();
  await killControllers();
  operator.local.controllerManager.thaw();
  const isThere = () =>
    volumes.statefulSet().then(
      ({ metadata }) => metadata?.uid,
      () => "missing",
    );
  await expect.poll(isThere, { ...patience, interval: 100 }).toBe("missing");
  expect(await volumes.podIdentities()).toEqual(pods);
  await comesBack(volumes, before.metadata?.uid);
  expect(await volumes.podIdentities()).toEqual(pods);
});

test("claims that the API server does not let grow: each reconcile tries again, says why, and is counted", async () => {
  const volumes = new Volumes(operator, "sturdy");
  const [pods, before] = [await volumes.podIdentities(), await volumes.statefulSet()];
  const claim = "mysql-data-moco-sturdy-0";
  await refuse("persistentvolumeclaims", "UPDATE", "the budget of this team is used up");
  const attempt = () => operator.kubectl("annotate", "pvc", claim, "attempt=1", "--dry-run=server").catch(String);
  await expect.poll(attempt, patience).toContain("the budget of this team is used up");
  await edit(volumes, { storage: "5Gi" });
  await keepsRising(volumes, "volume_resized_errors_total");
  expect(await conditionOf(operator, "sturdy", "ReconcileSuccess")).toMatchObject({
    status: "False",
    message: expect.stringContaining("the budget of this team is used up") as string,
  });
  expect(await operator.controllerLogs()).toContain("the budget of this team is used up");
  expect((await volumes.statefulSet()).metadata?.uid).toBe(before.metadata?.uid);

  await relent();
  await expect.poll(() => volumes.sizes(), patience).toEqual({ "mysql-data-0": "5Gi 5Gi" });
  await comesBack(volumes, before.metadata?.uid);
  expect(await volumes.podIdentities()).toEqual(pods);
});

test("a StatefulSet that the API server does not take back: Pods stay, and each attempt is counted until it does", async () => {
  const volumes = new Volumes(operator, "sturdy");
  const [pods, before] = [await volumes.podIdentities(), await volumes.statefulSet()];
  // Without the garbage collector a deletion takes as long as we want.
  operator.local.controllerManager.freeze();
  await edit(volumes, { storage: "5Gi", annotations: { refused: "once" } });
  const isDeleted = async () => (await volumes.statefulSet()).metadata?.deletionTimestamp;
  await expect.poll(isDeleted, patience).toBeDefined();
  await refuse("statefulsets", "CREATE", "no more of these today");
  const input = JSON.stringify({ ...before, metadata: { name: "moco-sturdy-attempt", namespace: "default" } });
  const attempt = () => operator.local.kubectl(["create", "--dry-run=server", "-f", "-"], { input }).catch(String);
  await expect.poll(attempt, patience).toContain("no more of these today");
  operator.local.controllerManager.thaw();
  await keepsRising(volumes, "statefulset_recreate_errors_total");
  await expect(volumes.statefulSet()).rejects.toThrow("not found");
  expect(await volumes.podIdentities()).toEqual(pods);

  await relent();
  await comesBack(volumes, before.metadata?.uid);
  expect(await volumes.podIdentities()).toEqual(pods);
});

test("the API server is killed in the middle of it", async () => {
  const volumes = new Volumes(operator, "sturdy");
  const pods = await volumes.podIdentities();
  for (const delay of [0, 300, 1_000]) {
    await waitForCondition(operator, "sturdy", "ReconcileSuccess");
    const before = await volumes.statefulSet();
    await edit(volumes, { storage: "5Gi", annotations: { delay: String(delay) } });
    await new Promise((resolve) => setTimeout(resolve, delay));
    await operator.local.apiServer.restart("SIGKILL");
    await comesBack(volumes, before.metadata?.uid);
    expect(await volumes.podIdentities()).toEqual(pods);
  }
});

/** As soon as the webhooks answer: they come back with the controllers that were killed. */
async function edit(volumes: Volumes, change: TemplateOptions): Promise<void> {
  await expect.poll(() => volumes.edit(template(change)).then(() => "done", String), patience).toBe("done");
}

/** Lets the API server refuse such requests for objects of the cluster "sturdy". */
async function refuse(resource: string, operation: string, message: string): Promise<void> {
  const rule = { apiGroups: ["*"], apiVersions: ["v1"], resources: [resource], operations: [operation] };
  const validation = { expression: "!object.metadata.name.contains('moco-sturdy')", message };
  const api = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name: "refusal" } };
  onTestFinished(relent);
  await operator.apply(
    {
      ...api,
      kind: "ValidatingAdmissionPolicy",
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [validation] },
    },
    {
      ...api,
      kind: "ValidatingAdmissionPolicyBinding",
      spec: { policyName: "refusal", validationActions: ["Deny"] },
    },
  );
}

async function relent(): Promise<void> {
  const kinds = "validatingadmissionpolicybinding,validatingadmissionpolicy";
  await operator.kubectl("delete", kinds, "refusal", "--ignore-not-found");
}

/** Not only once: people are told as long as it lasts. */
async function keepsRising(volumes: Volumes, counter: string): Promise<void> {
  const before = await volumes.counter(counter);
  await expect.poll(() => volumes.counter(counter), patience).toBeGreaterThan(before + 2);
}

async function running(name: string): Promise<Volumes> {
  await operator.apply(manifest({ name, spec: { volumeClaimTemplates: [template({ storage: "3Gi" })] } }));
  await expect.poll(() => startedPods(operator, name), patience).toBe(1);
  await waitForCondition(operator, name, "ReconcileSuccess");
  return new Volumes(operator, name);
}

/** Another StatefulSet has all Pods, and nothing is left to do. */
async function comesBack(volumes: Volumes, before: string | undefined): Promise<void> {
  const owners = async (): Promise<unknown> => {
    const { metadata } = await volumes.statefulSet();
    const adopted = (await volumes.podOwners()).every((uid) => uid === metadata?.uid);
    return metadata?.uid !== before && adopted ? "back" : "not yet";
  };
  await expect.poll(() => owners().catch(String), { ...patience, timeout: 240_000 }).toBe("back");
  const label = "app.kubernetes.io/name=mysql-recreation";
  const records = () => operator.kubectl("get", "controllerrevisions", "-l", label, "-o", "name");
  await expect.poll(() => records().catch(String), patience).toBe("");
}

/** Of all Pods that exist, by ordinal. */
async function revisions(): Promise<(string | undefined)[]> {
  const pods = await podsOf(operator, "three");
  return pods
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata?.labels?.["controller-revision-hash"]);
}

async function primary(): Promise<string> {
  return operator.kubectl("get", "mysqlcluster", "three", "-o", "jsonpath={.status.currentPrimaryIndex}");
}

/** All replicas at once, so that none is there to take over. */
async function killControllers(): Promise<void> {
  const pods = await operator.list<Pod>("pods", "-n", systemNamespace, "-l", "app.kubernetes.io/name=moco");
  await Promise.all(
    pods.map(({ metadata }) =>
      operator.local.faults.kill({ namespace: systemNamespace, name: metadata!.name!, container: "moco-controller" }),
    ),
  );
}
