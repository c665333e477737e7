import { setTimeout as delay } from "node:timers/promises";
import type { MySQLCluster } from "@moco-ts/api";
import type { Endpoint } from "@moco-ts/local-kubernetes";
import { systemNamespace } from "./install.ts";
import type { OperatorCluster } from "./operator-cluster.ts";

/** Something that happens to the primary of a cluster of three. */
export interface Fault {
  readonly name: string;
  readonly inject: (operator: OperatorCluster, cluster: string, primary: string) => Promise<unknown>;
  /** It ends only when it is healed: until then there has to be another primary. */
  readonly lasts?: true;
  /** What a person has to do afterwards. */
  readonly mend?: (operator: OperatorCluster, primary: string) => Promise<unknown>;
}

const mysqld = (name: string) => ({ namespace: "default", name, container: "mysqld", process: "mysqld" });

/** Each of them makes another instance the primary, unless the present one is back before that. */
export const faults: readonly Fault[] = [
  {
    name: "switchover",
    inject: (operator, _, pod) => operator.kubectl("annotate", "pod", pod, "moco.cybozu.com/demote=true"),
  },
  { name: "kill -9", inject: ({ local }, _, pod) => local.faults.kill(mysqld(pod)) },
  {
    name: "SIGTERM to process 1",
    inject: ({ local }, _, pod) => local.faults.kill({ ...mysqld(pod), process: "moco-mysqld" }, "SIGTERM"),
  },
  { name: "SIGSTOP", inject: ({ local }, _, pod) => local.faults.freeze(mysqld(pod)) },
  { name: "pod delete", inject: (operator, _, pod) => operator.kubectl("delete", "pod", pod, "--wait=false") },
  { name: "pod delete --force", inject: (operator, _, pod) => operator.kubectl("delete", "pod", pod, "--force") },
  { name: "lost volume", inject: (operator, _, pod) => destroy(operator, pod) },
  {
    name: "broken disk",
    inject: ({ local }, _, pod) => local.faults.loseDisk({ pod: podEndpoint(pod).pod, volume: "mysql-data" }),
    lasts: true,
    mend: destroy,
  },
  { name: "network cut", lasts: true, inject: cutOffFromAll },
  { name: "cut off from its replicas", lasts: true, inject: cutOffFromReplicas },
];

/** Here the primary stays. */
export const cutFromOperator: Fault = {
  name: "cut off from the operator",
  inject: async (operator, _, pod) => operator.local.faults.cut(podEndpoint(pod), await leader(operator)),
};

export function podEndpoint(name: string, namespace = "default") {
  return { pod: { namespace, name } };
}

export async function leader(operator: OperatorCluster): Promise<Endpoint> {
  return podEndpoint(await leaderPod(operator), systemNamespace);
}

/** The replica of the controller that acts. The lease of one that was killed has to run out first. */
export async function leaderPod(operator: OperatorCluster): Promise<string> {
  const holder = ["get", "lease", "moco", "-n", systemNamespace, "-o", "jsonpath={.spec.holderIdentity}"];
  for (const end = Date.now() + 120_000; ; await delay(500)) {
    const name = (await operator.kubectl(...holder)).split("_")[0]!;
    const pods = await operator.kubectl("get", "pods", "-n", systemNamespace, "-o", "name");
    if (pods.split("\n").includes(`pod/${name}`)) return name;
    if (Date.now() > end) throw new Error(`no controller acts: the lease is held by ${name}, which is gone`);
  }
}

export async function primaryPod(operator: OperatorCluster, cluster: string): Promise<string> {
  const { status } = await operator.get<MySQLCluster>("mysqlcluster", cluster);
  return `moco-${cluster}-${status?.currentPrimaryIndex ?? 0}`;
}

/** Ends what still lasts of a fault. */
export async function heal(operator: OperatorCluster, { mend }: Fault, pod: string): Promise<void> {
  await operator.local.faults.heal();
  // It may have been killed, or made anew, in the meantime.
  await operator.local.faults.thaw(mysqld(pod)).catch(() => undefined);
  await mend?.(operator, pod);
}

/** The Pod that comes in its place is empty. */
async function destroy(operator: OperatorCluster, pod: string): Promise<void> {
  await operator.kubectl("delete", "pvc", `mysql-data-${pod}`, "--wait=false");
  await operator.kubectl("delete", "pod", pod, "--force");
}

async function cutOffFromAll(operator: OperatorCluster, cluster: string, pod: string): Promise<void> {
  await cutOffFromReplicas(operator, cluster, pod);
  await cutFromOperator.inject(operator, cluster, pod);
}

async function cutOffFromReplicas({ local }: OperatorCluster, cluster: string, pod: string): Promise<void> {
  const others = [0, 1, 2].map((ordinal) => `moco-${cluster}-${ordinal}`).filter((each) => each !== pod);
  for (const other of others) await local.faults.cut(podEndpoint(pod), podEndpoint(other));
}
