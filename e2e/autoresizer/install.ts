import { prepareImages } from "@moco-ts/bundle";
import { buildImages, loadImages, type Cluster } from "@moco-ts/local-kubernetes";

export const systemNamespace = "pvc-autoresizer";
export const labels = { "app.kubernetes.io/name": "pvc-autoresizer" };
const image = "localhost/moco-ts/pvc-autoresizer:dev";
const fullName = "pvc-autoresizer";
const service = `${fullName}-controller`;
const configuration = `${fullName}-mutating-webhook-configuration`;
const webhookKeys = `${service}-webhook-keys`;

export interface InstallOptions {
  readonly flags?: readonly string[];
  /** Where statistics come from: the kubelets need rights that Prometheus does not. Default "kubelet". */
  readonly source?: "kubelet" | "prometheus";
  /** Files for the program, at /secrets. Default: none. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Builds and loads the image, and installs the program with the rights that it needs and no more. */
export async function installAutoresizer(cluster: Cluster, options: InstallOptions = {}): Promise<void> {
  const folder = await prepareImages(`images-${cluster.name}`);
  await buildImages({ folder, names: ["pvc-autoresizer"] });
  await loadImages(cluster.nodes, [image]);
  const list = { apiVersion: "v1", kind: "List", items: manifests(options) };
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(list) });
  const rollout = ["rollout", "status", `deployment/${service}`, "--timeout=120s"];
  await cluster.kubectl(["--namespace", systemNamespace, ...rollout]);
}

function manifests({ flags = [], source = "kubelet", files = {} }: InstallOptions): object[] {
  const namespace = systemNamespace;
  return [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: service, namespace } },
    { apiVersion: "v1", kind: "Secret", metadata: { name: "files", namespace }, stringData: files },
    ...rights("ClusterRole", { name: `${service}-storageclasses` }, storageClassRules),
    ...rights("ClusterRole", { name: service }, claimRules),
    ...(source === "kubelet" ? rights("ClusterRole", { name: `${service}-nodes` }, nodeRules) : []),
    ...rights("ClusterRole", { name: `${service}-webhook` }, webhookRules),
    ...rights("Role", { name: `${service}-own`, namespace }, ownRules),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: service, namespace },
      spec: { selector: labels, ports: [{ port: 443, targetPort: 9443 }] },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: service, namespace },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: podSpec(source === "kubelet" ? ["--use-k8s-metrics-api", ...flags] : flags),
        },
      },
    },
    webhook(),
  ];
}

const read = ["get", "list", "watch"];
const storageClassRules = [{ apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs: read }];
const claimRules = [
  { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: [...read, "patch"] },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];
/** Only for statistics from the kubelets. */
const nodeRules = [
  { apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] },
  { apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"] },
];
/** Only for a certificate of our own: whom to trust is written into the configuration. */
const webhookRules = [
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["mutatingwebhookconfigurations"],
    resourceNames: [configuration],
    verbs: [...read, "patch"],
  },
];
const ownRules = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: ["49e22f61.topolvm.io"],
    verbs: ["get", "update"],
  },
  // Only for a certificate of our own.
  { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
  { apiGroups: [""], resources: ["secrets"], resourceNames: [webhookKeys], verbs: [...read, "update"] },
];

function rights(
  kind: "Role" | "ClusterRole",
  metadata: { name: string; namespace?: string },
  rules: object[],
): object[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name: metadata.name };
  const subjects = [{ kind: "ServiceAccount", name: service, namespace: systemNamespace }];
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects },
  ];
}

function podSpec(flags: readonly string[]): object {
  return {
    serviceAccountName: service,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        name: "controller",
        image,
        imagePullPolicy: "Never",
        command: ["/pvc-autoresizer"],
        args: ["--cert-dir=", "--interval=2s", ...flags],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        ports: [{ name: "metrics", containerPort: 8080 }],
        readinessProbe: { httpGet: { path: "/readyz", port: 8081 }, periodSeconds: 1 },
        livenessProbe: { httpGet: { path: "/healthz", port: 8081 } },
        volumeMounts: [{ name: "files", mountPath: "/secrets", readOnly: true }],
      },
    ],
    volumes: [{ name: "files", secret: { secretName: "files" } }],
  };
}

function webhook(): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: configuration },
    webhooks: [
      {
        name: "mpersistentvolumeclaim.topolvm.io",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Fail",
        clientConfig: { service: { name: service, namespace: systemNamespace, path: "/pvc/mutate" } },
        rules: [
          {
            apiGroups: [""],
            apiVersions: ["v1"],
            operations: ["CREATE"],
            resources: ["persistentvolumeclaims"],
            scope: "Namespaced",
          },
        ],
      },
    ],
  };
}
