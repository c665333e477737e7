/** What a newcomer does: install the chart, make a cluster, upgrade, uninstall. */
import { installChart, removeChart } from "@moco-ts/helm";
import { down, up } from "@moco-ts/local-kubernetes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assertNothingForbidden } from "../testing/forbidden.ts";
import { manifest, patience, podsOf, systemNamespace, waitForCondition } from "../testing/index.ts";
import { imageValues, provideImages, restrict } from "../testing/install.ts";
import { OperatorCluster } from "../testing/operator-cluster.ts";

const name = "product-smoke";
let cluster: OperatorCluster;

beforeAll(async () => {
  cluster = new OperatorCluster(await up({ name, auditLog: true }));
  await provideImages(cluster.local);
  // The strictest that Kubernetes has.
  await restrict(cluster.local, systemNamespace);
});

// Without the usual look at what was forbidden: a controller that is uninstalled loses its rights before it ends.
afterAll(() => (process.env["KEEP"] ? undefined : down(name)));

const place = () => ({ kubeconfigPath: cluster.local.kubeconfigPath, namespace: systemNamespace });
const identities = async () => {
  const pods = await podsOf(cluster, "test");
  return pods.map(({ metadata, status }) => [
    metadata?.uid,
    ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount),
  ]);
};

test("the chart is installed, says how to go on, and a cluster becomes healthy", async () => {
  const notes = await installChart("moco", { ...place(), values: imageValues });
  expect(notes).toContain("kubectl apply -f -");
  await cluster.apply(manifest({ name: "test" }));
  await waitForCondition(cluster, "test", "Healthy");
});

test("who may edit a namespace may edit its clusters, and nobody else's", async () => {
  await cluster.kubectl("create", "rolebinding", "jane", "--clusterrole=edit", "--user=jane");
  const may = async (...action: string[]): Promise<string> =>
    (await cluster.local.kubectl(["auth", "can-i", ...action, "--as=jane"]).catch(() => "no")).trim();
  await expect.poll(() => may("create", "mysqlclusters.moco.cybozu.com"), { timeout: 30_000 }).toBe("yes");
  expect(await may("delete", "backuppolicies.moco.cybozu.com")).toBe("yes");
  expect(await may("get", "mysqlclusters.moco.cybozu.com", "-n", systemNamespace)).toBe("no");
});

test("an upgrade replaces the controller and nothing else, and admission goes on", async () => {
  const before = await identities();
  const values = { ...imageValues, extraArgs: ["--check-interval=30s"], podAnnotations: { "example.com/round": "2" } };
  await installChart("moco", { ...place(), values });
  await expect(cluster.apply(manifest({ name: "even", replicas: 2 }))).rejects.toThrow(/positive odd number/);
  await cluster.patch("test", { primaryServiceTemplate: { metadata: { labels: { team: "shop" } } } });
  const labelled = () => cluster.kubectl("get", "service", "-l", "team=shop", "-o", "name");
  await expect.poll(labelled, patience).toBe("service/moco-test-primary");
  await waitForCondition(cluster, "test", "Healthy");
  expect(await identities()).toEqual(before);
  await assertNothingForbidden(cluster.local, systemNamespace);
});

test("after the chart is uninstalled the cluster still serves", async () => {
  const before = await identities();
  expect(await removeChart("moco", place())).toContain("mysqlclusters.moco.cybozu.com");
  await expect.poll(() => cluster.kubectl("get", "pods", "-n", systemNamespace, "-o", "name"), patience).toBe("");
  const kinds =
    "clusterroles,mutatingwebhookconfigurations,validatingwebhookconfigurations,validatingadmissionpolicies";
  const left = (await cluster.kubectl("get", kinds, "-o", "name")).split("\n");
  expect(left.filter((each) => each.includes("moco"))).toEqual([]);
  expect(await cluster.query("moco-test-0", "SELECT @@read_only")).toBe("0");
  expect(await identities()).toEqual(before);
});
