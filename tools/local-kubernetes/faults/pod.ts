/** Faults of single processes in pods. */
import { readFileSync } from "node:fs";
import { clusterDirectory, type ClusterDefinition } from "../cluster/definition.ts";
import { controlPlaneFiles } from "../control-plane/files.ts";
import { nodeGroup } from "../node/files.ts";
import { sendSignal, type ProcessIdentity } from "../process/identity.ts";
import { getObject } from "../system/api.ts";
import { findGroups, groupProcesses } from "../system/cgroups.ts";

export interface PodReference {
  namespace: string;
  name: string;
}

export interface PodTarget extends PodReference {
  /** Default: the pod's first container. */
  container?: string;
  /** Only processes with this name, such as "mysqld". Default: every process of the container. */
  process?: string;
}

export interface PodObject {
  spec: { nodeName?: string; hostNetwork?: boolean; containers: Array<{ name: string }> };
  status: { podIP?: string; containerStatuses?: ContainerStatus[]; initContainerStatuses?: ContainerStatus[] };
}

interface ContainerStatus {
  name: string;
  containerID?: string;
}

export async function getPod(definition: ClusterDefinition, { namespace, name }: PodReference): Promise<PodObject> {
  const { kubeconfig } = controlPlaneFiles(clusterDirectory(definition.name));
  const pod = await getObject<PodObject>(kubeconfig, `/api/v1/namespaces/${namespace}/pods/${name}`);
  if (pod === undefined) {
    throw new Error(`there is no pod ${namespace}/${name}`);
  }
  return pod;
}

/** Sends a signal to processes of a container, from the outside: the container can't refuse it. */
export async function signalPod(
  definition: ClusterDefinition,
  target: PodTarget,
  signal: NodeJS.Signals,
): Promise<void> {
  const processes = await podProcesses(definition, target);
  if (processes.length === 0) {
    throw new Error(`found no process ${target.process ?? ""} in the pod ${target.namespace}/${target.name}`);
  }
  for (const process of processes) {
    sendSignal(process, signal);
  }
}

/** The processes of a container, as the machine sees them. */
export async function podProcesses(definition: ClusterDefinition, target: PodTarget): Promise<ProcessIdentity[]> {
  const { spec, status } = await getPod(definition, target);
  const container = target.container ?? spec.containers[0]?.name;
  const found = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].find(
    ({ name }) => name === container,
  );
  const id = found?.containerID?.replace(/^containerd:\/\//, "");
  if (spec.nodeName === undefined || id === undefined) {
    throw new Error(`the container ${container} of the pod ${target.namespace}/${target.name} does not run`);
  }
  return findGroups(nodeGroup(definition.name, spec.nodeName), id)
    .flatMap(groupProcesses)
    .filter(({ pid }) => target.process === undefined || processName(pid) === target.process);
}

function processName(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    // It has just ended.
    return undefined;
  }
}
