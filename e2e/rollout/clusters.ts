import type { MySQLCluster, MySQLClusterSpec } from "@moco-ts/api";
import type { Pod, StatefulSet } from "@moco-ts/kube";
import { expect } from "vitest";
import { manifest, mysqldContainer, podsOf, waitForCondition, type OperatorCluster } from "../testing/index.ts";

/** For `expect.poll`: a rollout of a few mysqld on a busy machine. */
export const rolloutPatience = { timeout: 600_000, interval: 1_000 };

/** For tests that go through whole rollouts. */
export const unhurried = { timeout: 1_200_000 };

/** Templates are told apart by an annotation. */
export function template(version: string, image?: string): Pick<MySQLClusterSpec, "podTemplate"> {
  return { podTemplate: { metadata: { annotations: { version } }, spec: { containers: [mysqldContainer(image)] } } };
}

/** A cluster that works. */
export async function healthyCluster(operator: OperatorCluster, name: string, replicas: number): Promise<void> {
  await operator.apply(manifest({ name, replicas, spec: template("1") }));
  await waitForCondition(operator, name, "Healthy", "True", 600_000);
  await expect.poll(() => partition(operator, name), rolloutPatience).toBe(0);
}

/** The version of each Pod's template, by ordinal. */
export async function versions(operator: OperatorCluster, cluster: string): Promise<string[]> {
  return (await podsOf(operator, cluster)).map(versionOf);
}

export function versionOf({ metadata }: Pod): string {
  return metadata?.annotations?.["version"] ?? "none";
}

export async function partition(operator: OperatorCluster, cluster: string): Promise<number> {
  const { spec } = await operator.get<StatefulSet>("statefulset", `moco-${cluster}`);
  return spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
}

/** What people are told of the rolling update. */
export async function told(operator: OperatorCluster, cluster: string): Promise<string> {
  const { status } = await operator.get<MySQLCluster>("mysqlcluster", cluster);
  const condition = status?.conditions?.find(({ type }) => type === "RolloutStopped");
  return condition ? `${condition.status} ${condition.reason} ${condition.message}` : "nothing";
}

/** Waits until all Pods are of this version and Ready, and the cluster is Healthy. */
export async function rolledOut(operator: OperatorCluster, cluster: string, version: string, replicas: number) {
  const expected = Array.from({ length: replicas }, () => version);
  await expect.poll(() => versions(operator, cluster), rolloutPatience).toEqual(expected);
  await expect.poll(() => told(operator, cluster), rolloutPatience).toMatch(/^False UpToDate/);
  await waitForCondition(operator, cluster, "Healthy", "True", 600_000);
}
