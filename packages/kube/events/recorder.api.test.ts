import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { silentLogger } from "@moco-ts/base";
import { resolveBinary, sharedControlPlane } from "@moco-ts/local-kubernetes";
import { expect, onTestFinished, test } from "vitest";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { ConfigMaps, Events, EventsV1Events, Namespaces } from "../types/generated/index.ts";
import { EventRecorder, type EventRecorderOptions } from "./recorder.ts";

async function setUp(options: Partial<EventRecorderOptions> = {}) {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const object = await client.create(ConfigMaps, { metadata: { namespace, name: "shop" } });
  const recorder = new EventRecorder({ client, component: "moco-controller", logger: silentLogger, ...options });
  onTestFinished(() => recorder.close(AbortSignal.timeout(5000)));
  const kubectl = async (...parameters: string[]): Promise<string> => {
    const path = await resolveBinary("kubectl");
    const { kubeconfigPath } = await sharedControlPlane();
    const { stdout } = await promisify(execFile)(path, [
      "--kubeconfig",
      kubeconfigPath,
      "-n",
      namespace,
      ...parameters,
    ]);
    return stdout;
  };
  return { client, namespace, object, recorder, kubectl };
}

/** What kubectl prints in columns, without the spaces between them. */
const squeeze = (text: string): string => text.replace(/ +/g, " ");

test("kubectl shows equal events once, with their count", async () => {
  const { client, namespace, object, recorder, kubectl } = await setUp();
  for (let attempt = 1; attempt <= 3; attempt++) {
    recorder.record(object, { type: "Warning", reason: "ResizeFailed", message: "the volume can't grow" });
    const counted = async () => (await client.list(Events, { namespace })).items.map(({ count }) => count);
    await expect.poll(counted).toEqual([attempt]);
  }
  const described = squeeze(await kubectl("describe", "configmap", "shop"));
  expect(described).toMatch(/Warning ResizeFailed \d+s \(x3 over \d+s\) moco-controller the volume can't grow/);
  const listed = squeeze(await kubectl("get", "events", "-o", "wide"));
  expect(listed).toMatch(/Warning ResizeFailed configmap\/shop moco-controller the volume can't grow \d+s 3 shop\./);
});

test("an event that has expired is made anew", async () => {
  const { client, namespace, object, recorder } = await setUp();
  const list = async () => (await client.list(Events, { namespace })).items;
  const tell = () => recorder.record(object, { type: "Normal", reason: "Resized", message: "grown" });
  tell();
  await expect.poll(list).toHaveLength(1);
  const [event] = await list();
  await client.delete(Events, { namespace, name: event!.metadata.name! });
  tell();
  await expect.poll(list).toMatchObject([{ count: 2 }]);
});

test("events.k8s.io has a series, which the core API shows too", async () => {
  const { client, namespace, object, recorder, kubectl } = await setUp({ api: "events.k8s.io" });
  const note = "PVC volume is resized to 2Gi";
  const list = async () => (await client.list(EventsV1Events, { namespace })).items;
  recorder.record(object, { type: "Normal", reason: "Resized", action: "Resize", message: note });
  await expect.poll(list).toHaveLength(1);
  for (const count of [2, 3]) {
    recorder.record(object, { type: "Normal", reason: "Resized", action: "Resize", message: note });
    await expect.poll(list).toMatchObject([{ note, reason: "Resized", action: "Resize", series: { count } }]);
  }
  expect(squeeze(await kubectl("get", "events"))).toMatch(
    /Normal Resized configmap\/shop PVC volume is resized to 2Gi/,
  );
});

test("the server accepts the longest message, cluster-scoped objects and combined events, in both APIs", async () => {
  for (const api of ["core", "events.k8s.io"] as const) {
    const { client, namespace, object, recorder } = await setUp({ api, instance: "x".repeat(300) });
    recorder.record(object, { type: "Normal", reason: "Long", message: "ü".repeat(3000) });
    const cluster = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    recorder.record(cluster, { type: "Normal", reason: "ClusterScoped", message: namespace });
    for (let index = 1; index <= 12; index++) {
      recorder.record(object, { type: "Normal", reason: "Similar", message: `attempt ${index}` });
    }
    await recorder.close(AbortSignal.timeout(20_000));
    const { items } = await client.list(Events, { namespace });
    expect(items.filter(({ reason }) => reason === "Long")).toHaveLength(1);
    expect(items.filter(({ reason }) => reason === "Similar")).toHaveLength(11);
    const combined = items.filter(({ message }) => message?.startsWith("(combined from similar events): "));
    expect(combined).toHaveLength(1);
    const inDefault = await client.list(Events, { namespace: "default", fieldSelector: "reason=ClusterScoped" });
    const ours = inDefault.items.filter(({ message }) => message === namespace);
    expect(ours).toHaveLength(1);
    await client.delete(Events, { namespace: "default", name: ours[0]!.metadata.name! });
  }
});

test("a namespace that is going away takes no events, and nobody is hurt", async () => {
  const { client, namespace, object, recorder } = await setUp();
  await client.patch(
    ConfigMaps,
    { namespace, name: "shop" },
    {
      type: "merge",
      body: { metadata: { finalizers: ["test.example/wait"] } },
    },
  );
  await client.delete(Namespaces, { name: namespace });
  recorder.record(object, { type: "Normal", reason: "Late", message: "too late" });
  await recorder.close(AbortSignal.timeout(5000));
  expect((await client.list(Events, { namespace })).items).toEqual([]);
  const release = { type: "merge", body: { metadata: { finalizers: null } } } as const;
  await client.patch(ConfigMaps, { namespace, name: "shop" }, release);
});
