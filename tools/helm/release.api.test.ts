/** What becomes of an installed chart when it is upgraded and removed, without any node. */
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { charts } from "./charts.ts";
import { helm, removeChart } from "./helm.ts";
import { olderChart } from "./testing/older-chart.ts";
import { ChartServer } from "./testing/server.ts";

// Helm works through dozens of large objects, each time.
vi.setConfig({ testTimeout: 180_000 });

const namespace = "moco-system";
let server: ChartServer;

beforeAll(async () => {
  server = await ChartServer.start();
});

afterAll(() => server?.stop());

/** Nothing can become ready here: nobody waits for it. */
function install({ chart = charts.moco, values = {} }: { chart?: string; values?: object } = {}): Promise<string> {
  const place = ["--namespace", namespace, "--create-namespace"];
  const { kubeconfigPath } = server;
  return helm(["upgrade", "--install", "moco", chart, ...place, "--wait=hookOnly"], { kubeconfigPath, values });
}

const remove = (): Promise<string> => removeChart("moco", { kubeconfigPath: server.kubeconfigPath, namespace });

interface Configuration {
  readonly webhooks: readonly { readonly name: string; readonly clientConfig: { readonly caBundle?: string } }[];
}
const configuration = "mutatingwebhookconfigurations/moco-mutating-webhook-configuration";

test("what the controller writes into the configurations of its webhooks survives an upgrade", async () => {
  await install();
  const certificate = Buffer.from("-----BEGIN CERTIFICATE-----").toString("base64");
  const { webhooks } = await server.get<Configuration>(configuration);
  const trust = webhooks.map(({ name }) => ({ name, clientConfig: { caBundle: certificate } }));
  const metadata = { name: configuration.split("/")[1] };
  const kind = { apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration", metadata };
  const write = ["patch", configuration, "--type=strategic", "--field-manager=webhook-pki", "-p"];
  await server.kubectl([...write, JSON.stringify({ ...kind, webhooks: trust })]);

  await install({ values: { replicaCount: 3, extraArgs: ["--check-interval=30s"] } });
  const after = await server.get<Configuration>(configuration);
  expect(after.webhooks.map(({ clientConfig }) => clientConfig.caBundle)).toEqual([certificate, certificate]);
  const deployment = await server.get<{ spec: { replicas: number } }>("deployment/moco-controller", "-n", namespace);
  expect(deployment.spec.replicas).toBe(3);
  await remove();
});

const definition = "mysqlclusters.moco.cybozu.com";

test("definitions follow an upgrade, and outlive the release with all clusters", async () => {
  const older = await olderChart("moco");
  onTestFinished(() => rm(older, { recursive: true }));
  await install({ chart: older });
  const columns = async (): Promise<string> => {
    const path = "jsonpath={.spec.versions[0].additionalPrinterColumns[*].name}";
    return (await server.kubectl(["get", `crd/${definition}`, "-o", path])).output;
  };
  expect(await columns()).toBe("");
  await install();
  expect(await columns()).toContain("Available");

  expect(await remove()).toContain(definition);
  const kinds = "crd,deployment,clusterrole,mutatingwebhookconfiguration,validatingwebhookconfiguration";
  const left = await server.kubectl(["get", kinds, "-A", "-o", "name"]);
  expect(left.output.split("\n").filter((name) => name.includes("moco"))).toEqual([
    "customresourcedefinition.apiextensions.k8s.io/backuppolicies.moco.cybozu.com",
    "customresourcedefinition.apiextensions.k8s.io/mysqlclusters.moco.cybozu.com",
  ]);

  // Whoever comes back finds them, and takes them over.
  await install();
  await remove();
});
