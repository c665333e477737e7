/** What Helm and a real API server say of the charts. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { charts, type ChartName } from "./charts.ts";
import { helm } from "./helm.ts";
import { ChartServer } from "./testing/server.ts";

let server: ChartServer;

beforeAll(async () => {
  server = await ChartServer.start();
});

afterAll(() => server?.stop());

/** Renders a chart for a namespace of its own, and has the API server look at all of it. */
async function check(chart: ChartName, values: object = {}, namespace = `${chart}-system`): Promise<string[]> {
  await server.createNamespace(namespace);
  const manifests = await helm(["template", chart, charts[chart], "--namespace", namespace], { values });
  const { output, warnings } = await server.dryRun(manifests);
  expect(warnings).toBe("");
  return output.trim().split("\n");
}

const names = Object.keys(charts) as ChartName[];

test.each(names)("Helm finds nothing wrong with %s", async (chart) => {
  expect(await helm(["lint", "--strict", charts[chart]])).toContain("0 chart(s) failed");
});

describe("moco", () => {
  test("the API server takes all that it makes by default, under the names that users know", async () => {
    const objects = await check("moco");
    expect(objects.toSorted()).toEqual([
      "clusterrole.rbac.authorization.k8s.io/moco-backuppolicy-editor-role",
      "clusterrole.rbac.authorization.k8s.io/moco-backuppolicy-viewer-role",
      "clusterrole.rbac.authorization.k8s.io/moco-manager-role",
      "clusterrole.rbac.authorization.k8s.io/moco-mysqlcluster-editor-role",
      "clusterrole.rbac.authorization.k8s.io/moco-mysqlcluster-viewer-role",
      "clusterrolebinding.rbac.authorization.k8s.io/moco-manager-rolebinding",
      "customresourcedefinition.apiextensions.k8s.io/backuppolicies.moco.cybozu.com",
      "customresourcedefinition.apiextensions.k8s.io/mysqlclusters.moco.cybozu.com",
      "deployment.apps/moco-controller",
      "mutatingwebhookconfiguration.admissionregistration.k8s.io/moco-mutating-webhook-configuration",
      "poddisruptionbudget.policy/moco-controller",
      "role.rbac.authorization.k8s.io/moco-leader-election-role",
      "rolebinding.rbac.authorization.k8s.io/moco-leader-election-rolebinding",
      "service/moco-webhook-service",
      "serviceaccount/moco-controller-manager",
      "validatingadmissionpolicy.admissionregistration.k8s.io/moco-delete-validator",
      "validatingadmissionpolicybinding.admissionregistration.k8s.io/moco-delete-validator",
      "validatingwebhookconfiguration.admissionregistration.k8s.io/moco-validating-webhook-configuration",
    ]);
  });

  test("the API server takes all that it can make", async () => {
    const objects = await check("moco", {
      replicaCount: 3,
      imageRegistry: "registry.example.com/mysql/",
      image: { tag: `sha256:${"0".repeat(64)}`, pullPolicy: "Always" },
      imagePullSecrets: [{ name: "registry" }],
      agent: { imageV1: "ghcr.io/cybozu-go/moco-agent:0.16.0" },
      fluentbit: { image: { repository: "registry.example.com/fluent-bit", tag: "5.0" } },
      mysqldExporter: { image: { repository: "registry.example.com/exporter", tag: "0.19" } },
      backup: { image: { repository: "registry.example.com/backup", tag: "1" } },
      resources: { limits: { memory: "512Mi" } },
      extraArgs: ["--check-interval=30s"],
      podLabels: { team: "data" },
      podAnnotations: { "example.com/note": "yes" },
      nodeSelector: { "kubernetes.io/os": "linux" },
      affinity: { nodeAffinity: {} },
      tolerations: [{ operator: "Exists" }],
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway", labelSelector: {} },
      ],
      priorityClassName: "system-cluster-critical",
      networkPolicy: {
        enabled: true,
        metricsFrom: [{ namespaceSelector: {} }],
        egress: [{ ports: [{ port: 6443 }] }],
      },
      monitoring: {
        enabled: true,
        podMonitors: { interval: "30s", scrapeTimeout: "10s", honorLabels: true, labels: { release: "prometheus" } },
        prometheusRules: { labels: { release: "prometheus" }, alertLabels: { team: "data" } },
        dashboards: { annotations: { folder: "MySQL" } },
      },
    });
    expect(objects).toEqual(
      expect.arrayContaining([
        "configmap/moco-dashboard-clusters",
        "networkpolicy.networking.k8s.io/moco-controller",
        "podmonitor.monitoring.coreos.com/moco-agent",
        "podmonitor.monitoring.coreos.com/moco-controller",
        "podmonitor.monitoring.coreos.com/moco-mysql",
        "prometheusrule.monitoring.coreos.com/moco",
      ]),
    );
  });

  test("one replica has no budget, and definitions can be left out", async () => {
    const objects = await check("moco", { replicaCount: 1, crds: { enabled: false } });
    expect(objects.filter((name) => /budget|customresource/.test(name))).toEqual([]);
  });

  test("the controller is told of this project's agent, and of other images if they are given", async () => {
    const values = {
      imageRegistry: "registry.example.com/mysql",
      fluentbit: { image: { repository: "other/fluent-bit", tag: "5.0" } },
      extraArgs: ["--check-interval=30s"],
    };
    const text = await helm(["template", charts.moco, "--show-only", "templates/deployment.yaml"], { values });
    expect([...text.matchAll(/^ +- (--.*)$/gm)].map(([, flag]) => flag)).toEqual([
      "--agent-image=registry.example.com/mysql/moco-agent:0.1.0",
      "--fluent-bit-image=other/fluent-bit:5.0",
      "--check-interval=30s",
    ]);
  });
});

describe("pvc-autoresizer", () => {
  test("the API server takes all that it makes by default, under the names that users know", async () => {
    const objects = await check("pvc-autoresizer");
    expect(objects.toSorted()).toEqual([
      "clusterrole.rbac.authorization.k8s.io/pvc-autoresizer-controller",
      "clusterrole.rbac.authorization.k8s.io/pvc-autoresizer-controller-storageclasses",
      "clusterrole.rbac.authorization.k8s.io/pvc-autoresizer-controller-webhook",
      "clusterrolebinding.rbac.authorization.k8s.io/pvc-autoresizer-controller",
      "clusterrolebinding.rbac.authorization.k8s.io/pvc-autoresizer-controller-storageclasses",
      "clusterrolebinding.rbac.authorization.k8s.io/pvc-autoresizer-controller-webhook",
      "deployment.apps/pvc-autoresizer-controller",
      "mutatingwebhookconfiguration.admissionregistration.k8s.io/pvc-autoresizer-mutating-webhook-configuration",
      "poddisruptionbudget.policy/pvc-autoresizer-controller",
      "role.rbac.authorization.k8s.io/pvc-autoresizer-controller-own",
      "rolebinding.rbac.authorization.k8s.io/pvc-autoresizer-controller-own",
      "service/pvc-autoresizer-controller",
      "serviceaccount/pvc-autoresizer-controller",
    ]);
  });

  test("the API server takes all that it can make", async () => {
    await server.createNamespace("shop");
    const objects = await check("pvc-autoresizer", {
      image: { reference: ":1.2", pullSecrets: [{ name: "registry" }] },
      controller: {
        args: { useK8sMetricsApi: true, namespaces: ["shop"], additionalArgs: ["--cooldown=6h"] },
        annotations: { "example.com/note": "yes" },
        podLabels: { team: "data" },
        podAnnotations: { "example.com/note": "yes" },
        podSecurityContext: { runAsUser: 20000 },
        securityContext: { runAsGroup: 20000 },
        terminationGracePeriodSeconds: 20,
        tolerations: {},
        nodeSelector: { "kubernetes.io/os": "linux" },
        affinity: { nodeAffinity: {} },
        priorityClassName: "system-cluster-critical",
        volumes: [{ name: "files", secret: { secretName: "prometheus" } }],
        volumeMounts: [{ name: "files", mountPath: "/secrets" }],
      },
      webhook: { existingCertManagerIssuer: { kind: "ClusterIssuer", name: "webhooks" } },
      serviceAccount: { automountServiceAccountToken: false, imagePullSecrets: [{ name: "registry" }] },
      networkPolicy: { enabled: true },
      podMonitor: { enabled: true, interval: "30s", additionalLabels: { release: "prometheus" } },
      prometheusRule: { enabled: true, disabled: ["VolumeAnnotationInvalid"] },
      dashboards: { enabled: true },
    });
    expect(objects).toEqual(
      expect.arrayContaining([
        "certificate.cert-manager.io/pvc-autoresizer-controller",
        "clusterrolebinding.rbac.authorization.k8s.io/pvc-autoresizer-controller-nodes",
        "configmap/pvc-autoresizer-dashboard-volumes",
        "networkpolicy.networking.k8s.io/pvc-autoresizer-controller",
        "podmonitor.monitoring.coreos.com/pvc-autoresizer",
        "prometheusrule.monitoring.coreos.com/pvc-autoresizer",
      ]),
    );
    // Rights on claims are given in the namespace alone.
    expect(objects).not.toContain("clusterrolebinding.rbac.authorization.k8s.io/pvc-autoresizer-controller");
    expect(objects).toContain("rolebinding.rbac.authorization.k8s.io/pvc-autoresizer-controller");
  });

  test("without its webhook it needs neither Service nor keys", async () => {
    const objects = await check("pvc-autoresizer", { webhook: { pvcMutatingWebhook: { enabled: false } } });
    expect(objects.filter((name) => /webhook|service\//.test(name))).toEqual([]);
  });
});

test("the commands that docs/installation.md shows are understood", async () => {
  const page = await readFile(join(import.meta.dirname, "../../docs/installation.md"), "utf8");
  const lines = page.replaceAll(/\\\n\s*/g, "").split("\n");
  const commands = lines.filter((line) => line.startsWith("$ helm upgrade "));
  expect(commands.length).toBeGreaterThan(2);
  for (const command of commands) {
    const [, chart] = /charts\/([\w-]+)/.exec(command)!;
    const settings = [...command.matchAll(/--set (\S+)/g)].flatMap(([, setting]) => ["--set", setting!]);
    expect(await helm(["template", charts[chart as ChartName], ...settings])).toContain("kind: Deployment");
  }
});

describe("values that can't be meant", () => {
  test.each<[string, ChartName, object, RegExp]>([
    ["a misspelt name", "moco", { replicas: 2 }, /additional properties 'replicas' not allowed/],
    ["no replica", "moco", { replicaCount: 0 }, /\/replicaCount.*minimum/],
    ["a tag that YAML takes for a number", "moco", { image: { tag: 1.1 } }, /\/image\/tag.*got number, want .*string/],
    ["an image without a tag", "moco", { backup: { image: { repository: "a/b" } } }, /the image a\/b needs a tag/],
    ["MOCO's own image", "moco", { image: { repository: "ghcr.io/cybozu-go/moco" } }, /is MOCO's own controller/],
    ["a flag without dashes", "moco", { extraArgs: ["check-interval=1m"] }, /\/extraArgs\/0.*does not match pattern/],
    ["an interval without a unit", "pvc-autoresizer", { controller: { args: { interval: "10" } } }, /\/interval/],
    [
      "a subchart",
      "pvc-autoresizer",
      { "cert-manager": { enabled: true } },
      /is no part of this chart, and is not needed/,
    ],
  ])("%s is refused", async (_, chart, values, message) => {
    await expect(helm(["template", charts[chart]], { values })).rejects.toThrow(message);
  });
});
