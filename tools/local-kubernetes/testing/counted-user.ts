import { setTimeout as delay } from "node:timers/promises";
import {
  ClusterRoleBindings,
  connect,
  defineResource,
  Namespaces,
  type Client,
  type ClusterConfig,
  type KubeObject,
} from "@moco-ts/kube";

/** A user who may do everything, and whose requests the API server counts. */
export interface CountedUser {
  /** To connect as this user. */
  readonly config: ClusterConfig;
  /** What the API server has carried out for the user so far. A watch counts once, when it starts. */
  requests(): Promise<RequestCounts>;
}

export interface RequestCounts {
  readonly leases: number;
  readonly others: number;
}

interface FlowSchema extends KubeObject {
  spec: object;
}
const FlowSchemas = defineResource<FlowSchema>(
  "flowcontrol.apiserver.k8s.io/v1",
  "FlowSchema",
  "flowschemas",
  "Cluster",
);

/**
 * Makes such a user, by flow schemas, whose metrics need no audit log. Returns when the API server counts.
 *
 * @param client of an administrator, with the configuration `admin`
 */
export async function createCountedUser(client: Client, admin: ClusterConfig, name: string): Promise<CountedUser> {
  const impersonate = { user: name };
  const config = { ...admin, credentials: { ...admin.credentials, impersonate } };
  await client.create(ClusterRoleBindings, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "User", name, apiGroup: "rbac.authorization.k8s.io" }],
  });
  const requests = await countRequests(client, name, { kind: "User", user: { name } });
  await untilCounted(config, requests);
  return { config, requests };
}

/** Who makes requests, as flow schemas name it. */
export type Requester =
  | { readonly kind: "User"; readonly user: { readonly name: string } }
  | { readonly kind: "ServiceAccount"; readonly serviceAccount: { readonly namespace: string; readonly name: string } };

/** Has the API server count somebody's requests, from a moment after this on. */
export async function countRequests(
  client: Client,
  name: string,
  requester: Requester,
): Promise<() => Promise<RequestCounts>> {
  const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
  await client.create(FlowSchemas, flowSchema(`${name}-leases`, requester, 100, leases));
  await client.create(FlowSchemas, flowSchema(name, requester, 101, { apiGroups: ["*"], resources: ["*"] }));
  return () => readCounts(client, name);
}

function flowSchema(name: string, requester: Requester, matchingPrecedence: number, what: object): FlowSchema {
  const resourceRules = [{ ...what, verbs: ["*"], namespaces: ["*"], clusterScope: true }];
  return {
    metadata: { name },
    spec: {
      matchingPrecedence,
      priorityLevelConfiguration: { name: "workload-high" },
      rules: [{ subjects: [requester], resourceRules }],
    },
  };
}

async function readCounts(client: Client, name: string): Promise<RequestCounts> {
  const { body } = await client.raw("/metrics");
  const lines = body.split("\n").filter((line) => line.startsWith("apiserver_flowcontrol_dispatched_requests_total{"));
  const countOf = (schema: string): number =>
    lines
      .filter((line) => line.includes(`flow_schema="${schema}"`))
      .reduce((sum, line) => sum + Number(line.split("} ")[1]), 0);
  return { leases: countOf(`${name}-leases`), others: countOf(name) };
}

/** The API server takes a moment to go by a new flow schema. */
async function untilCounted(config: ClusterConfig, requests: () => Promise<RequestCounts>): Promise<void> {
  const user = connect(config, { qps: Infinity });
  while ((await requests()).others === 0) {
    await user.list(Namespaces);
    await delay(100);
  }
  await user.close();
}
