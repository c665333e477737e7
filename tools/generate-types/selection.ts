/** The kinds that get a type, and a resource descriptor where they have a collection. What they refer to comes along. */
export interface GroupSelection {
  /** "v1" for the core group, else "group/version". */
  readonly apiVersion: string;
  readonly kinds: readonly string[];
}

export const selection: readonly GroupSelection[] = [
  {
    apiVersion: "v1",
    kinds: [
      "ConfigMap",
      "Endpoints",
      "Event",
      "Namespace",
      "Node",
      "PersistentVolume",
      "PersistentVolumeClaim",
      "Pod",
      "Secret",
      "Service",
      "ServiceAccount",
    ],
  },
  { apiVersion: "apps/v1", kinds: ["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"] },
  { apiVersion: "batch/v1", kinds: ["CronJob", "Job"] },
  { apiVersion: "policy/v1", kinds: ["Eviction", "PodDisruptionBudget"] },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kinds: ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
  },
  { apiVersion: "storage.k8s.io/v1", kinds: ["StorageClass"] },
  { apiVersion: "coordination.k8s.io/v1", kinds: ["Lease"] },
  { apiVersion: "discovery.k8s.io/v1", kinds: ["EndpointSlice"] },
  { apiVersion: "events.k8s.io/v1", kinds: ["Event"] },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kinds: [
      "MutatingWebhookConfiguration",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "ValidatingWebhookConfiguration",
    ],
  },
  { apiVersion: "apiextensions.k8s.io/v1", kinds: ["CustomResourceDefinition"] },
  { apiVersion: "authentication.k8s.io/v1", kinds: ["TokenRequest", "TokenReview"] },
  { apiVersion: "authorization.k8s.io/v1", kinds: ["SelfSubjectAccessReview", "SubjectAccessReview"] },
  { apiVersion: "autoscaling/v1", kinds: ["Scale"] },
];
