import { resolveBinaries, type Binary } from "../binaries/resolve.ts";
import { freeControlPlanePorts, usualPorts } from "../control-plane/ports.ts";
import { whyNoNode } from "../system/environment.ts";
import type { Report } from "../system/report.ts";
import { clusterNames, loadDefinition, saveDefinition, type ClusterDefinition } from "./definition.ts";
import { withClusterLock } from "./lock.ts";
import { findNetworkNumber } from "./namespaces.ts";
import { maximumNodes } from "./network.ts";
import { ensurePackages } from "./packages.ts";
import type { Progress } from "./progress.ts";

/** What is wanted of a cluster. What is not said stays as it is. */
export interface DefineOptions {
  nodes?: number;
  controlPlaneOnly?: boolean;
  auditLog?: boolean;
  signal?: AbortSignal;
}

const centralPrograms = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"];
const nodePrograms = ["kubelet", "kube-proxy", "coredns"];

/** Decides what a cluster will be, gets what that needs of the machine, and writes it down. */
export async function define(
  name: string,
  options: DefineOptions,
  report: Report,
  progress: Progress,
): Promise<ClusterDefinition> {
  const existing = await loadDefinition(name);
  const controlPlaneOnly = options.controlPlaneOnly ?? existing?.controlPlaneOnly ?? false;
  const auditLog = options.auditLog ?? existing?.auditLog ?? false;
  const nodes = controlPlaneOnly ? 0 : (options.nodes ?? existing?.nodes ?? 1);
  if (!controlPlaneOnly) {
    assertNodes(nodes);
  }
  if (
    existing !== undefined &&
    (existing.controlPlaneOnly !== controlPlaneOnly || existing.auditLog !== auditLog || nodes < existing.nodes)
  ) {
    throw new Error(`the cluster ${name} exists with other options: run "local-kubernetes down --name ${name}" first`);
  }
  if (!controlPlaneOnly) {
    await ensurePackages(report, options.signal);
  }
  const programs = [...centralPrograms, ...(controlPlaneOnly ? [] : nodePrograms)];
  const binaries = [...(await resolveBinaries(programs, { report, signal: options.signal })).values()];
  progress.done(describe(binaries));

  const wanted = {
    name,
    controlPlaneOnly,
    auditLog,
    nodes,
    binaries: Object.fromEntries(binaries.map((binary) => [binary.name, binary.path])),
  };
  if (existing !== undefined) {
    return saveDefinition({ ...existing, ...wanted });
  }
  if (controlPlaneOnly) {
    return saveDefinition({ ...wanted, networkNumber: 0, ports: await freeControlPlanePorts() });
  }
  // Two clusters that are made at the same time must not choose the same network.
  return withClusterLock(".networks", report, async () => {
    const networkNumber = await findNetworkNumber(await takenNetworks());
    return saveDefinition({ ...wanted, networkNumber, ports: usualPorts });
  });
}

function assertNodes(nodes: number): void {
  const reason = whyNoNode();
  if (reason !== undefined) {
    throw new Error(reason);
  }
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > maximumNodes) {
    throw new Error(`a cluster has between 1 and ${maximumNodes} nodes, not ${nodes}`);
  }
}

async function takenNetworks(): Promise<number[]> {
  const definitions = await Promise.all((await clusterNames()).map(loadDefinition));
  return definitions.flatMap((definition) => definition?.networkNumber ?? []);
}

function describe(binaries: Binary[]): string {
  const byOrigin = Map.groupBy(binaries, (binary) => binary.origin);
  const parts = [...byOrigin].map(([origin, group]) => `${group.map(({ name }) => name).join(", ")} from ${origin}`);
  return `binaries: ${parts.join("; ")}`;
}
