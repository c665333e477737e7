import { expect, onTestFinished } from "vitest";
import { patience, systemNamespace, type OperatorCluster } from "../testing/index.ts";

/** A kind of request. */
export interface Step {
  readonly resource: string;
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
}

const controller = `system:serviceaccount:${systemNamespace}:moco-controller-manager`;
const probe = { resource: "configmaps", operation: "CREATE" } as const satisfies Step;

/**
 * Lets the API server refuse such requests of the controller for objects of a MySQLCluster, as policies of a company do.
 * Rehearsals are not refused: the server is of another mind when it is asked in earnest.
 */
export async function refuse(operator: OperatorCluster, cluster: string, step: Step, message: string): Promise<void> {
  const rules = [step, probe].map(({ resource, operation }) => ({
    apiGroups: ["*"],
    apiVersions: ["v1"],
    resources: [resource],
    operations: [operation],
  }));
  const isOthers = `request.userInfo.username != '${controller}'`;
  const isForeign = `!(object != null ? object : oldObject).metadata.name.contains('moco-${cluster}')`;
  const isRehearsal = `has(request.dryRun) && request.dryRun && request.resource.resource != '${probe.resource}'`;
  const validation = { expression: `${isOthers} || ${isForeign} || (${isRehearsal})`, message };
  const api = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name: "refusal" } };
  onTestFinished(() => relent(operator));
  await operator.apply(
    {
      ...api,
      kind: "ValidatingAdmissionPolicy",
      spec: { matchConstraints: { resourceRules: rules }, validations: [validation] },
    },
    {
      ...api,
      kind: "ValidatingAdmissionPolicyBinding",
      spec: { policyName: "refusal", validationActions: ["Deny"] },
    },
  );
  // It takes a moment until the API server follows it.
  const attempt = ["create", "configmap", `moco-${cluster}-attempt`, "--dry-run=server", `--as=${controller}`];
  await expect.poll(() => operator.kubectl(...attempt).catch(String), patience).toContain(message);
}

export async function relent(operator: OperatorCluster): Promise<void> {
  const kinds = "validatingadmissionpolicybinding,validatingadmissionpolicy";
  await operator.kubectl("delete", kinds, "refusal", "--ignore-not-found");
}
