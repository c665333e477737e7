import { Agent, request } from "node:https";
import { expect, test } from "vitest";
import { MutatingWebhookConfigurations, PersistentVolumeClaims, Secrets } from "@moco-ts/kube";
import { startAutoresizer } from "../testing/autoresizer.ts";
import { TestCluster, type NewClaim } from "../testing/cluster.ts";
import { startWebhook, type ServingAutoresizer } from "../testing/webhook.ts";

const annotations = { "initial-resize-group-by": "label-foobar" };
const inGroup = (group: string, storage: string): NewClaim => ({
  annotations,
  storage,
  labels: { "label-foobar": group },
});

test("the examples: the largest in the group wins, other groups don't count, and a larger request is kept", async () => {
  const cluster = await TestCluster.create();
  await cluster.create("pvc-x-1", inGroup("group-x", "20Gi"));
  await cluster.create("pvc-x-2", inGroup("group-x", "16Gi"));
  await cluster.create("pvc-y-1", inGroup("group-y", "30Gi"));
  await startWebhook(cluster);
  await cluster.create("pvc-x-3", inGroup("group-x", "10Gi"));
  await cluster.create("pvc-y-2", inGroup("group-y", "50Gi"));
  expect(await cluster.request("pvc-x-3")).toBe("20Gi");
  expect(await cluster.request("pvc-y-2")).toBe("50Gi");
  await cluster.create("first-of-z", inGroup("group-z", "10Gi"));
  expect(await cluster.request("first-of-z")).toBe("10Gi");
});

test("claims of other namespaces don't count", async () => {
  const elsewhere = await TestCluster.create();
  await elsewhere.create("large", inGroup("group-x", "100Gi"));
  const cluster = await TestCluster.create();
  await startWebhook(cluster);
  expect((await cluster.create("small", inGroup("group-x", "10Gi"))).spec?.resources?.requests).toEqual({
    storage: "10Gi",
  });
});

test("nothing else of a claim is changed, and claims without the annotation stay as they are", async () => {
  const cluster = await TestCluster.create();
  await cluster.create("large", inGroup("group-x", "20Gi"));
  await startWebhook(cluster);
  const { annotations: _annotations, ...plain } = inGroup("group-x", "10Gi");
  expect((await cluster.create("plain", plain)).spec?.resources).toEqual({ requests: { storage: "10Gi" } });
  const created = await cluster.create("grown", inGroup("group-x", "10Gi"));
  expect(created.spec).toMatchObject({
    accessModes: ["ReadWriteOnce"],
    storageClassName: cluster.namespace,
    resources: { requests: { storage: "20Gi" } },
  });
  expect(created.metadata?.labels).toEqual({ "label-foobar": "group-x" });
});

test("the limit caps, and a mistake is refused with a text that names it", async () => {
  const cluster = await TestCluster.create();
  await cluster.create("large", inGroup("group-x", "20Gi"));
  await startWebhook(cluster);
  const limited = (storage_limit: string, storage = "10Gi"): NewClaim => ({
    ...inGroup("group-x", storage),
    annotations: { ...annotations, storage_limit },
  });
  expect((await cluster.create("capped", limited("15Gi"))).spec?.resources?.requests).toEqual({ storage: "15Gi" });
  expect((await cluster.create("kept", limited("5Gi"))).spec?.resources?.requests).toEqual({ storage: "10Gi" });
  await expect(cluster.create("bad-limit", limited("lots"))).rejects.toMatchObject({
    status: 500,
    message: expect.stringContaining('resize.topolvm.io/storage_limit: "lots"'),
  });
  await expect(cluster.create("unlabelled", { annotations })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("no value is set to the label key label-foobar"),
  });
  const empty = { annotations, labels: { "label-foobar": "" } };
  await expect(cluster.create("empty-label", empty)).rejects.toThrow("no value is set to the label key label-foobar");
});

test("a class has the limit for claims that have none", async () => {
  const cluster = await TestCluster.create({ storage_limit: "12Gi" });
  await cluster.create("large", inGroup("group-x", "20Gi"));
  await startWebhook(cluster);
  expect((await cluster.create("data", inGroup("group-x", "10Gi"))).spec?.resources?.requests).toEqual({
    storage: "12Gi",
  });
});

test("a member that is being deleted still counts: what it held may have to fit in", async () => {
  const cluster = await TestCluster.create();
  await cluster.create("leaving", inGroup("group-x", "20Gi"));
  const key = { namespace: cluster.namespace, name: "leaving" };
  const body = { metadata: { finalizers: ["example.com/still-here"] } };
  await cluster.client.patch(PersistentVolumeClaims, key, { type: "merge", body });
  await cluster.client.delete(PersistentVolumeClaims, key);
  expect((await cluster.claim("leaving")).metadata?.deletionTimestamp).toBeDefined();
  await startWebhook(cluster);
  await cluster.create("new", inGroup("group-x", "10Gi"));
  expect(await cluster.request("new")).toBe("20Gi");
  await cluster.client.patch(PersistentVolumeClaims, key, {
    type: "merge",
    body: { metadata: { finalizers: null } },
  });
});

test("a member whose request has grown counts with it, though its volume has not followed", async () => {
  const cluster = await TestCluster.create();
  await cluster.createClaim("growing", inGroup("group-x", "10Gi"));
  const body = { spec: { resources: { requests: { storage: "25Gi" } } } };
  const key = { namespace: cluster.namespace, name: "growing" };
  await cluster.client.patch(PersistentVolumeClaims, key, { type: "merge", body });
  expect((await cluster.claim("growing")).status?.capacity).toEqual({ storage: "10Gi" });
  await startWebhook(cluster);
  await cluster.create("new", inGroup("group-x", "10Gi"));
  expect(await cluster.request("new")).toBe("25Gi");
});

test("a group of hundreds is looked at as a whole", async () => {
  const cluster = await TestCluster.create();
  const sizes = Array.from({ length: 527 }, (_, index) => (index === 511 ? "20Gi" : "5Gi"));
  for (let begin = 0; begin < sizes.length; begin += 31) {
    const some = sizes.slice(begin, begin + 31);
    await Promise.all(some.map((size, index) => cluster.create(`member-${begin + index}`, inGroup("group-x", size))));
  }
  await startWebhook(cluster);
  await cluster.create("new", inGroup("group-x", "10Gi"));
  expect(await cluster.request("new")).toBe("20Gi");
});

test("of two creations at once neither is smaller than what was there before, and the next one sees both", async () => {
  const cluster = await TestCluster.create();
  await cluster.create("first", inGroup("group-x", "20Gi"));
  await startWebhook(cluster);
  const [small, large] = await Promise.all([
    cluster.create("small", inGroup("group-x", "10Gi")),
    cluster.create("large", inGroup("group-x", "40Gi")),
  ]);
  expect(["20Gi", "40Gi"]).toContain(small.spec?.resources?.requests?.["storage"]);
  expect(large.spec?.resources?.requests?.["storage"]).toBe("40Gi");
  expect((await cluster.create("next", inGroup("group-x", "10Gi"))).spec?.resources?.requests).toEqual({
    storage: "40Gi",
  });
});

test("a claim that was created a moment ago counts: nothing is answered from memory", async () => {
  const cluster = await TestCluster.create();
  await startWebhook(cluster);
  for (let size = 1; size <= 10; size++) {
    await cluster.create(`large-${size}`, inGroup("group-x", `${size}Gi`));
    await cluster.create(`small-${size}`, inGroup("group-x", "1Gi"));
    expect(await cluster.request(`small-${size}`)).toBe(`${size}Gi`);
  }
});

test("namespaces that are not managed are left alone, and a dry run changes nothing", async () => {
  const cluster = await TestCluster.create();
  await cluster.create("large", inGroup("group-x", "20Gi"));
  const serving = await startWebhook(cluster, ["--dry-run"]);
  expect((await cluster.create("new", inGroup("group-x", "10Gi"))).spec?.resources?.requests).toEqual({
    storage: "10Gi",
  });
  expect(serving.log.map(({ msg }) => msg)).toContain("would create a PVC larger, but for the dry run");
  const foreign = { ...review("CREATE", { annotations: { "resize.topolvm.io/initial-resize-group-by": "x" } }) };
  expect(await ask(serving, { ...foreign, namespace: "elsewhere" })).toMatchObject({ allowed: true });
});

test("only creations are looked at", async () => {
  const cluster = await TestCluster.create();
  const serving = await startWebhook(cluster);
  const wrong = { annotations: { "resize.topolvm.io/initial-resize-group-by": "missing" } };
  const namespace = cluster.namespace;
  for (const operation of ["UPDATE", "DELETE"]) {
    expect(await ask(serving, { ...review(operation, wrong), namespace })).toMatchObject({ allowed: true });
  }
  expect(await ask(serving, { ...review("CREATE", wrong), namespace })).toMatchObject({
    allowed: false,
    status: { code: 400, message: "no value is set to the label key missing" },
  });
});

test("without a directory the certificate is our own, and the API server is told to trust it", async () => {
  const cluster = await TestCluster.create();
  const { client, namespace } = cluster;
  const configuration = { metadata: { name: `own-${namespace}` } };
  const service = { name: "autoresizer", namespace, path: "/pvc/mutate" };
  await client.create(MutatingWebhookConfigurations, {
    ...configuration,
    webhooks: [
      {
        name: "mpersistentvolumeclaim.topolvm.io",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { service },
        namespaceSelector: { matchLabels: { nobody: "has-this" } },
        rules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["persistentvolumeclaims"] },
        ],
      },
    ],
  });
  const flags = ["--use-k8s-metrics-api", "--webhook-addr=127.0.0.1:0", "--cert-dir=", "--webhook-service=autoresizer"];
  await startAutoresizer(cluster, [...flags, `--webhook-configuration=own-${namespace}`]);
  const bundle = async () => {
    const { webhooks } = await client.get(MutatingWebhookConfigurations, { name: `own-${namespace}` });
    return webhooks?.[0]?.clientConfig.caBundle;
  };
  await expect.poll(bundle, { timeout: 60_000, interval: 100 }).toBeTruthy();
  const { data } = await client.get(Secrets, { namespace, name: "autoresizer-webhook-keys" });
  expect(await bundle()).toBe(data?.["ca.crt"]);
  await client.delete(MutatingWebhookConfigurations, { name: `own-${namespace}` });
});

function review(operation: string, metadata: object) {
  const object = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data", ...metadata }, spec: {} };
  return {
    uid: "u-1",
    operation,
    object: operation === "DELETE" ? null : object,
    oldObject: operation === "CREATE" ? null : object,
  };
}

/** Asks the webhook as an API server does. */
function ask({ port, authority }: ServingAutoresizer, admission: object): Promise<unknown> {
  const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: admission });
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path: "/pvc/mutate",
      method: "POST",
      ca: authority,
      agent: new Agent(),
      headers: { "content-type": "application/json" },
    };
    const sent = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(JSON.parse(text).response));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
