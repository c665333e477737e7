import type { Cluster } from "../cluster/handle.ts";

export type Action = "stop" | "start" | "restart" | "freeze" | "thaw" | "kill";

export interface ActionOptions {
  /** For processes of pods: only those with this name. */
  process?: string;
  /** For kill. Default: SIGKILL. */
  signal?: NodeJS.Signals;
}

/**
 * Does something to what a text names: a process of the cluster as `status` lists it ("kube-apiserver",
 * "node-1/kubelet"), a whole node ("node/node-1"), or a container ("pod/NAMESPACE/NAME" or "pod/NAMESPACE/NAME/CONTAINER").
 */
export async function actOn(
  cluster: Cluster,
  text: string,
  action: Action,
  options: ActionOptions = {},
): Promise<void> {
  const [kind, first = "", second = "", container] = text.split("/");
  if (kind === "pod") {
    await actOnPod(cluster, { namespace: first, name: second, container, process: options.process }, action, options);
  } else if (kind === "node") {
    await actOnNode(cluster, first, action);
  } else {
    await actOnProcess(cluster, text, action, options);
  }
}

async function actOnProcess(cluster: Cluster, name: string, action: Action, options: ActionOptions): Promise<void> {
  const found = cluster.processes.get(name);
  if (found === undefined) {
    throw new Error(`there is no process ${name}, but ${[...cluster.processes.keys()].join(", ")}`);
  }
  switch (action) {
    case "kill":
      return found.stop(options.signal ?? "SIGKILL");
    case "freeze":
      return found.freeze();
    case "thaw":
      return found.thaw();
    case "stop":
    case "start":
    case "restart":
      return found[action]();
  }
}

async function actOnNode(cluster: Cluster, name: string, action: Action): Promise<void> {
  const node = cluster.nodes.find((each) => each.name === name);
  if (node === undefined) {
    throw new Error(`there is no node ${name}, but ${cluster.nodes.map((each) => each.name).join(", ")}`);
  }
  switch (action) {
    case "freeze":
      return node.freeze();
    case "thaw":
      return node.thaw();
    case "stop":
    case "kill":
      return node.powerOff();
    case "start":
      return node.powerOn();
    case "restart":
      await node.powerOff();
      return node.powerOn();
  }
}

async function actOnPod(
  cluster: Cluster,
  target: Parameters<Cluster["faults"]["kill"]>[0],
  action: Action,
  options: ActionOptions,
): Promise<void> {
  switch (action) {
    case "freeze":
      return cluster.faults.freeze(target);
    case "thaw":
      return cluster.faults.thaw(target);
    case "kill":
      return cluster.faults.kill(target, options.signal);
    case "stop":
    case "start":
    case "restart":
      throw new Error(`a container can be frozen, thawed and killed; to ${action} it is up to its kubelet`);
  }
}
