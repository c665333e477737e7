import { namespace, program, sourceLabel, webhookPaths, webhookPort } from "./names.ts";

export const image = `localhost/moco-ts/${program}:dev`;
const metadata = { name: program, namespace };
const labels = { app: program };

/** Two replicas with the least that they may: whatever is missing here shows up as a refused request. */
export function deployment(): object[] {
  return [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    },
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    ...rights("Role", metadata, [
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "create", "patch", "delete"] },
      { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch", "create", "update", "patch"] },
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch", "update"] },
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
    ]),
    ...rights("ClusterRole", { name: program }, [
      {
        apiGroups: ["admissionregistration.k8s.io"],
        resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
        verbs: ["get", "list", "watch", "patch"],
      },
    ]),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: labels, ports: [{ port: 443, targetPort: webhookPort }] },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec() } },
    },
    webhook("MutatingWebhookConfiguration", webhookPaths.mutate),
    webhook("ValidatingWebhookConfiguration", webhookPaths.validate),
  ];
}

function rights(kind: "Role" | "ClusterRole", metadata: object, rules: object[]): object[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name: program };
  const subjects = [{ kind: "ServiceAccount", name: program, namespace }];
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects },
  ];
}

function podSpec(): object {
  return {
    serviceAccountName: program,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        name: program,
        image,
        imagePullPolicy: "Never",
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        readinessProbe: { httpGet: { path: "/readyz", port: 8081 }, periodSeconds: 1 },
        livenessProbe: { httpGet: { path: "/healthz", port: 8081 } },
      },
    ],
  };
}

function webhook(kind: string, path: string): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name: program },
    webhooks: [
      {
        name: "copies.example.moco-ts",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Fail",
        clientConfig: { service: { name: program, namespace, path } },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] }],
        objectSelector: { matchExpressions: [{ key: sourceLabel, operator: "Exists" }] },
      },
    ],
  };
}
