/**
 * admission: what the API server asks before it stores our objects. The rules themselves are in the package api, where the
 * control loop finds them too; here they are bound to paths, and the paths to the operations that the API server asks
 * about.
 */
import { apiGroup, createdBy, labelKeys } from "@moco-ts/api";
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
  WebhookServer,
} from "@moco-ts/kube";
import { mutateStatefulSet } from "../rollout/webhook.ts";
import { validatePolicy, type ReadMySQLClusters } from "./backuppolicy.ts";
import { mutateMySQLCluster, validateMySQLCluster, type ReadStorageClasses } from "./mysqlcluster.ts";

export const admissionPaths = {
  mutateMySQLCluster: "/mutate-moco-cybozu-com-v1beta2-mysqlcluster",
  mutateStatefulSet: "/mutate-apps-v1-statefulset",
  validateMySQLCluster: "/validate-moco-cybozu-com-v1beta2-mysqlcluster",
  validateBackupPolicy: "/validate-moco-cybozu-com-v1beta2-backuppolicy",
} as const;

export interface AdmissionOptions {
  readonly readStorageClasses: ReadStorageClasses;
  readonly readClusters: ReadMySQLClusters;
  /** A random whole number below the limit: `randomInt` of node:crypto. */
  readonly randomInteger: (limit: number) => number;
}

export function registerAdmission(server: WebhookServer, options: AdmissionOptions): void {
  server.mutating(admissionPaths.mutateMySQLCluster, mutateMySQLCluster(options.randomInteger));
  server.mutating(admissionPaths.mutateStatefulSet, mutateStatefulSet);
  server.validating(admissionPaths.validateMySQLCluster, validateMySQLCluster(options.readStorageClasses));
  server.validating(admissionPaths.validateBackupPolicy, validatePolicy(options.readClusters));
}

/** Where the API server finds the webhook of a path. */
export type ClientConfigOf = (path: string) => WebhookClientConfig;

export function mutatingConfiguration(clientConfigOf: ClientConfigOf): MutatingWebhookConfiguration {
  return {
    metadata: { name: "moco-mutating-webhook-configuration" },
    webhooks: [
      {
        name: "mmysqlcluster.kb.io",
        clientConfig: clientConfigOf(admissionPaths.mutateMySQLCluster),
        ...rules("mysqlclusters", "CREATE"),
      },
      {
        name: "statefulset.kb.io",
        clientConfig: clientConfigOf(admissionPaths.mutateStatefulSet),
        ...rules("statefulsets", "CREATE", "UPDATE"),
        rules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["statefulsets"] },
        ],
        // Nobody else's StatefulSets depend on this controller.
        objectSelector: { matchLabels: { [labelKeys.createdBy]: createdBy } },
      },
    ],
  };
}

export function validatingConfiguration(clientConfigOf: ClientConfigOf): ValidatingWebhookConfiguration {
  return {
    metadata: { name: "moco-validating-webhook-configuration" },
    webhooks: [
      {
        name: "vbackuppolicy.kb.io",
        clientConfig: clientConfigOf(admissionPaths.validateBackupPolicy),
        ...rules("backuppolicies", "CREATE", "UPDATE", "DELETE"),
      },
      {
        name: "vmysqlcluster.kb.io",
        clientConfig: clientConfigOf(admissionPaths.validateMySQLCluster),
        ...rules("mysqlclusters", "CREATE", "UPDATE"),
      },
    ],
  };
}

function rules(plural: string, ...operations: string[]): Omit<MutatingWebhook, "name" | "clientConfig"> {
  return {
    admissionReviewVersions: ["v1"],
    failurePolicy: "Fail",
    sideEffects: "None",
    rules: [{ apiGroups: [apiGroup], apiVersions: ["v1beta2"], operations, resources: [plural] }],
  };
}
