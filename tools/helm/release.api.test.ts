/** What becomes of an installed chart when it is upgraded and removed, without any node. */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { parseDocument, type Document } from "yaml";
import { charts } from "./charts.ts";
import { helm, removeChart } from "./helm.ts";
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

test("definitions follow an upgrade, and outlive the release with all clusters", async () => {
  await install({ chart: await olderChart() });
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

const definition = "mysqlclusters.moco.cybozu.com";

/** The chart as it might have been, before clusters were shown in columns. */
async function olderChart(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "older-chart-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(charts.moco, folder, { recursive: true });
  await edit(join(folder, "Chart.yaml"), (chart) => chart.set("version", "0.0.1"));
  const path = join(folder, "generated/crds", `${definition}.yaml`);
  await edit(path, (object) => object.deleteIn(["spec", "versions", 0, "additionalPrinterColumns"]));
  return folder;
}

async function edit(path: string, change: (document: Document) => void): Promise<void> {
  const document = parseDocument(await readFile(path, "utf8"));
  change(document);
  await writeFile(path, document.toString());
}
