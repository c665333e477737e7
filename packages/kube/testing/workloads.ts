/** Configurations that use what the API server normalises and fills in, for tests of apply. */
import type { Configuration } from "../apply/configuration.ts";
import {
  ConfigMaps,
  CronJobs,
  Deployments,
  Jobs,
  MutatingWebhookConfigurations,
  PodDisruptionBudgets,
  Roles,
  Secrets,
  ServiceAccounts,
  Services,
  StatefulSets,
  type StatefulSet,
} from "../types/generated/index.ts";
import type { KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";

const selector = { matchLabels: { app: "db" } };

const podSpec = {
  securityContext: {},
  nodeSelector: {},
  initContainers: [],
  tolerations: [],
  terminationGracePeriodSeconds: 0,
  containers: [
    {
      name: "mysqld",
      image: "mysql:9",
      command: ["mysqld"],
      args: [],
      ports: [
        { containerPort: 3306, name: "mysql" },
        { containerPort: 53, protocol: "UDP" },
      ],
      env: [
        { name: "EMPTY", value: "" },
        { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "CPUS", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
      ],
      resources: { requests: { cpu: "1000m", memory: "0.5Gi" }, limits: { cpu: "2.0" } },
      livenessProbe: { httpGet: { path: "/", port: 80 }, initialDelaySeconds: 0 },
      volumeMounts: [
        { name: "data", mountPath: "/data", readOnly: false },
        { name: "tmp", mountPath: "/tmp" },
      ],
      lifecycle: {},
    },
  ],
  volumes: [
    { name: "tmp", emptyDir: {} },
    { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1024Ki" } },
    { name: "projected", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } },
    { name: "fields", downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
  ],
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: selector },
  ],
};

/** A new copy each time: tests change it. */
export function statefulSet(namespace: string, name: string): Configuration<StatefulSet> {
  return structuredClone({
    metadata: { name, namespace, labels: { app: "db" } },
    spec: {
      replicas: 0,
      serviceName: "db",
      minReadySeconds: null,
      selector,
      template: { metadata: { labels: { app: "db" }, annotations: {} }, spec: podSpec },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } },
        },
      ],
    },
  });
}

/** One object of each kind. */
export function oneOfEach(namespace: string, name: string): [Resource, Configuration<KubeObject>][] {
  const metadata = { name, namespace };
  const spec = { ...podSpec, volumes: [...podSpec.volumes, { name: "data", emptyDir: {} }] };
  const template = { metadata: { labels: { app: "db" } }, spec };
  const job = { template: { ...template, spec: { ...spec, restartPolicy: "Never" } }, backoffLimit: 0, suspend: true };
  const ports = [
    { port: 3306, name: "mysql", targetPort: "mysql" },
    { port: 80, name: "web" },
  ];
  const webhook = {
    name: "round.example.com",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    rules: [{ apiGroups: ["test.example"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothings"] }],
    clientConfig: { service: { name: "none", namespace, path: "/mutate" } },
  };
  const pairs: [object, object][] = [
    [StatefulSets, statefulSet(namespace, name)],
    [Deployments, { metadata, spec: { replicas: 0, selector, template } }],
    [Services, { metadata, spec: { selector: { app: "db" }, ports } }],
    [
      ConfigMaps,
      { metadata: { ...metadata, annotations: {} }, data: { "my.cnf": "a\n", empty: "" }, immutable: false },
    ],
    [Secrets, { metadata, type: "Opaque", stringData: { password: "s3cret" } }],
    [ServiceAccounts, { metadata, automountServiceAccountToken: false }],
    [PodDisruptionBudgets, { metadata, spec: { maxUnavailable: "25%", selector } }],
    [Jobs, { metadata, spec: job }],
    [CronJobs, { metadata, spec: { schedule: "0 0 * * *", jobTemplate: { spec: job } } }],
    [Roles, { metadata, rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }],
    [MutatingWebhookConfigurations, { metadata: { name: `${name}-${namespace}` }, webhooks: [webhook] }],
  ];
  return pairs as [Resource, Configuration<KubeObject>][];
}
