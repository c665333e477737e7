/** StatefulSets that are made anew while Pods run on. */
import type { Pod } from "@moco-ts/kube";
import { expect } from "vitest";
import {
  killController,
  manifest,
  patience,
  startedPods,
  systemNamespace,
  waitForCondition,
  type OperatorCluster,
} from "../testing/index.ts";
import { template, Volumes, type TemplateOptions } from "./volumes.ts";

/** A cluster of one instance that works. */
export async function running(operator: OperatorCluster, name: string): Promise<Volumes> {
  await operator.apply(manifest({ name, spec: { volumeClaimTemplates: [template({ storage: "3Gi" })] } }));
  await expect.poll(() => startedPods(operator, name), patience).toBe(1);
  await waitForCondition(operator, name, "ReconcileSuccess");
  return new Volumes(operator, name);
}

/** As soon as the webhooks answer: they come back with the controllers that were killed. */
export async function edit(volumes: Volumes, change: TemplateOptions): Promise<void> {
  await expect.poll(() => volumes.edit(template(change)).then(() => "done", String), patience).toBe("done");
}

/** Another StatefulSet has all Pods, and nothing is left to do. */
export async function comesBack(
  operator: OperatorCluster,
  volumes: Volumes,
  before: string | undefined,
): Promise<void> {
  const owners = async (): Promise<unknown> => {
    const { metadata } = await volumes.statefulSet();
    const adopted = (await volumes.podOwners()).every((uid) => uid === metadata?.uid);
    return metadata?.uid !== before && adopted ? "back" : "not yet";
  };
  await expect.poll(() => owners().catch(String), { ...patience, timeout: 240_000 }).toBe("back");
  const label = "app.kubernetes.io/name=mysql-recreation";
  const records = () => operator.kubectl("get", "controllerrevisions", "-l", label, "-o", "name");
  await expect.poll(() => records().catch(String), patience).toBe("");
}

/** All replicas at once, so that none is there to take over. */
export async function killControllers(operator: OperatorCluster): Promise<void> {
  const pods = await operator.list<Pod>("pods", "-n", systemNamespace, "-l", "app.kubernetes.io/name=moco");
  await Promise.all(pods.map(({ metadata }) => killController(operator, metadata!.name!)));
}
