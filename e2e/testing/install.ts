import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { prepareImages } from "@moco-ts/bundle";
import { buildImages, loadImages, type Cluster } from "@moco-ts/local-kubernetes";

export const systemNamespace = "moco-system";
export const images = {
  controller: "localhost/moco-ts/moco-controller:dev",
  agent: "localhost/moco-ts/moco-agent:dev",
  mysql: "localhost/moco-ts/mysql:9.7",
  mysqlLoose: "localhost/moco-ts/mysql-loose:9.7",
  exporter: "localhost/moco-ts/mysqld-exporter:dev",
  /** A stand-in: no registry of packages carries the real one. */
  fluentBit: "localhost/moco-ts/fluent-bit:dev",
};

/** Builds and loads the images, and installs the controller with the rights that it needs and no more. */
export async function installOperator(cluster: Cluster, flags: readonly string[] = []): Promise<void> {
  const folder = await prepareImages(`images-${cluster.name}`);
  const names = Object.values(images).map((reference) => /([^/]+):/.exec(reference)![1]!);
  await buildImages({ folder, names });
  await loadImages(cluster.nodes, Object.values(images));
  for (const file of await readdir(definitions)) {
    // The schemas are larger than the annotation of a client-side apply may be.
    await cluster.kubectl(["apply", "--server-side", "-f", join(definitions, file)]);
  }
  const list = { apiVersion: "v1", kind: "List", items: operatorManifests(flags) };
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(list) });
  const rollout = ["rollout", "status", "deployment/moco-controller", "--timeout=120s"];
  await cluster.kubectl(["--namespace", systemNamespace, ...rollout]);
}

const definitions = join(import.meta.dirname, "../../charts/moco/generated/crds");

const account = "moco-controller-manager";
const labels = { "app.kubernetes.io/name": "moco", "app.kubernetes.io/component": "moco-controller" };

function operatorManifests(flags: readonly string[]): object[] {
  const metadata = { name: "moco-controller", namespace: systemNamespace };
  return [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: systemNamespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace: systemNamespace } },
    ...rights("ClusterRole", { name: "moco-manager-role" }, clusterRules),
    ...rights("Role", { name: "moco-leader-election-role", namespace: systemNamespace }, [
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
    ]),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "moco-webhook-service", namespace: systemNamespace },
      spec: { selector: labels, ports: [{ port: 443, targetPort: 9443 }] },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec(flags) },
      },
    },
    webhooks("MutatingWebhookConfiguration", "moco-mutating-webhook-configuration", [
      ["mmysqlcluster.kb.io", "/mutate-moco-cybozu-com-v1beta2-mysqlcluster", "mysqlclusters", ["CREATE"]],
      ["statefulset.kb.io", "/mutate-apps-v1-statefulset", "statefulsets", ["CREATE", "UPDATE"]],
    ]),
    webhooks("ValidatingWebhookConfiguration", "moco-validating-webhook-configuration", [
      ["vmysqlcluster.kb.io", "/validate-moco-cybozu-com-v1beta2-mysqlcluster", "mysqlclusters", ["CREATE", "UPDATE"]],
      [
        "vbackuppolicy.kb.io",
        "/validate-moco-cybozu-com-v1beta2-backuppolicy",
        "backuppolicies",
        ["CREATE", "UPDATE", "DELETE"],
      ],
    ]),
  ];
}

const read = ["get", "list", "watch"];
const write = [...read, "create", "patch", "delete"];
const clusterRules: object[] = [
  { apiGroups: ["moco.cybozu.com"], resources: ["mysqlclusters"], verbs: [...read, "patch", "update"] },
  { apiGroups: ["moco.cybozu.com"], resources: ["mysqlclusters/status"], verbs: ["get", "patch"] },
  // For owner references that block the owner's deletion.
  { apiGroups: ["moco.cybozu.com"], resources: ["mysqlclusters/finalizers"], verbs: ["update"] },
  { apiGroups: ["moco.cybozu.com"], resources: ["backuppolicies"], verbs: read },
  { apiGroups: [""], resources: ["secrets"], verbs: [...write, "update"] },
  { apiGroups: [""], resources: ["configmaps", "serviceaccounts", "services"], verbs: write },
  { apiGroups: [""], resources: ["events"], verbs: ["create", "patch", "update"] },
  { apiGroups: ["apps"], resources: ["statefulsets"], verbs: write },
  { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: [...read, "patch"] },
  // For the record of a StatefulSet that is made anew.
  { apiGroups: ["apps"], resources: ["controllerrevisions"], verbs: [...read, "create", "delete"] },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: write },
  { apiGroups: ["batch"], resources: ["cronjobs", "jobs"], verbs: write },
  { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: write },
  { apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs: read },
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
    verbs: [...read, "patch"],
  },
  { apiGroups: [""], resources: ["pods"], verbs: [...read, "patch", "delete"] },
  // What backup Jobs may do has to be the controller's to give.
  { apiGroups: ["moco.cybozu.com"], resources: ["mysqlclusters/status"], verbs: ["update"] },
];

function rights(
  kind: "Role" | "ClusterRole",
  metadata: { name: string; namespace?: string },
  rules: object[],
): object[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name: metadata.name };
  const subjects = [{ kind: "ServiceAccount", name: account, namespace: systemNamespace }];
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects },
  ];
}

const imageFlags = [
  `--agent-image=${images.agent}`,
  `--mysqld-exporter-image=${images.exporter}`,
  `--fluent-bit-image=${images.fluentBit}`,
];

function podSpec(flags: readonly string[]): object {
  return {
    serviceAccountName: account,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        name: "moco-controller",
        image: images.controller,
        imagePullPolicy: "Never",
        args: [...imageFlags, ...flags],
        env: [{ name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        readinessProbe: { httpGet: { path: "/readyz", port: 8081 }, periodSeconds: 1, timeoutSeconds: 5 },
        // On a machine that has too much to do, a start takes a minute, and an answer seconds.
        startupProbe: { httpGet: { path: "/healthz", port: 8081 }, periodSeconds: 1, failureThreshold: 180 },
        livenessProbe: { httpGet: { path: "/healthz", port: 8081 }, timeoutSeconds: 10 },
      },
    ],
  };
}

function webhooks(kind: string, name: string, hooks: [string, string, string, string[]][]): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name },
    webhooks: hooks.map(([hook, path, resource, operations]) => ({
      name: hook,
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      failurePolicy: "Fail",
      clientConfig: { service: { name: "moco-webhook-service", namespace: systemNamespace, path } },
      rules: [{ ...groupOf(resource), operations, resources: [resource] }],
      // Nobody else's StatefulSets depend on the controller.
      ...(resource === "statefulsets" && {
        objectSelector: { matchLabels: { "app.kubernetes.io/created-by": "moco" } },
      }),
    })),
  };
}

function groupOf(resource: string): object {
  if (resource === "statefulsets") return { apiGroups: ["apps"], apiVersions: ["v1"] };
  return { apiGroups: ["moco.cybozu.com"], apiVersions: ["v1beta2"] };
}
