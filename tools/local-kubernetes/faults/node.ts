/** Faults of a whole node. */
import { readFile, writeFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { controlPlaneNamespace } from "../cluster/namespaces.ts";
import type { NodeProcesses } from "../cluster/processes.ts";
import { nodeGroup } from "../node/files.ts";
import { killGroup, setFrozen } from "../system/cgroups.ts";
import { run } from "../system/run.ts";

/** Turns a node off as if its power was cut: nobody is told, no connection is closed, no process ends by itself. */
export async function powerOff(cluster: string, node: NodeProcesses): Promise<void> {
  await setLink(cluster, node, "down");
  await killGroup(nodeGroup(cluster, node.place.name));
}

/** Turns a node on again. Its kubelet finds the pods that it had, and starts their containers anew. */
export async function powerOn(cluster: string, node: NodeProcesses): Promise<void> {
  await setLink(cluster, node, "up");
  await node.containerd.start();
  await Promise.all([node.kubelet.start(), node.kubeProxy.start()]);
}

/** Stops every process of a node, its containers' too, in its tracks, or lets them go on. */
export function setNodeFrozen(cluster: string, node: NodeProcesses, frozen: boolean): void {
  setFrozen(nodeGroup(cluster, node.place.name), frozen);
}

/**
 * Lets a node's kubelet find that it has too little memory, whatever it has: it evicts pods, one after the other, those
 * that use more than they asked for first. A hard limit would count as used, and leave no room for any pod at all.
 */
export async function setMemoryPressure({ place, kubelet }: NodeProcesses, pressed: boolean): Promise<void> {
  const configuration = parse(await readFile(place.kubeletConfiguration, "utf8")) as Record<string, unknown>;
  const { evictionSoft: _limit, evictionSoftGracePeriod: _time, ...others } = configuration;
  const limit = {
    evictionSoft: { "memory.available": "99%" },
    evictionSoftGracePeriod: { "memory.available": "1s" },
  };
  await writeFile(place.kubeletConfiguration, stringify({ ...others, ...(pressed && limit) }));
  await kubelet.restart();
}

// The bridge's end of the cable: the node's own interface keeps its addresses and routes.
async function setLink(cluster: string, node: NodeProcesses, state: "up" | "down"): Promise<void> {
  await run("ip", ["-netns", controlPlaneNamespace(cluster), "link", "set", node.place.name, state]);
}
