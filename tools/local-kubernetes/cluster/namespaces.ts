/**
 * The network of a cluster: one namespace for the control plane, which has the bridge, and one for each node. Only the
 * host's end of one veth pair is outside, and no namespace has a default route: nothing gets out.
 */
import { run, tryRun, type RunOptions } from "../system/run.ts";
import type { ClusterDefinition } from "./definition.ts";
import { chooseNetworkNumber, clusterNetwork, nodeAddress, nodePods } from "./network.ts";

const bridge = "bridge0";

export function controlPlaneNamespace(cluster: string): string {
  return `lk-${cluster}`;
}

export function nodeNamespace(cluster: string, node: number): string {
  return `lk-${cluster}.node-${node}`;
}

/** The host's interface for a cluster. The network number keeps the name within the 15 characters of the kernel. */
function hostInterface(networkNumber: number): string {
  return `lk-${networkNumber}`;
}

function namespacePath(namespace: string): string {
  return `/run/netns/${namespace}`;
}

/**
 * The words before a command that runs it in a network namespace. Not `ip netns exec`: that also mounts a new /sys,
 * without the cgroups that a kubelet needs.
 */
export function enterNamespace(namespace: string): string[] {
  return ["nsenter", `--net=${namespacePath(namespace)}`, "--"];
}

/** Runs a program in a network namespace to its end. */
export async function runIn(namespace: string, command: string[], options: RunOptions = {}): Promise<string> {
  const [nsenter = "", ...args] = [...enterNamespace(namespace), ...command];
  return run(nsenter, args, options);
}

/** Makes what is missing. What was half made by an interrupted run is made anew. */
export async function createNetwork(definition: ClusterDefinition): Promise<void> {
  const { name, networkNumber, nodes } = definition;
  const network = clusterNetwork(networkNumber);
  const outer = controlPlaneNamespace(name);
  const uplink = hostInterface(networkNumber);
  if (!(await isComplete(outer))) {
    await deleteNetwork(definition);
    await addNamespace(outer);
    await batch(outer, [
      `link add ${bridge} type bridge`,
      `addr add ${network.controlPlane}/24 dev ${bridge}`,
      `addr add ${network.dns}/24 dev ${bridge}`,
      `link set ${bridge} up`,
    ]);
    await run("ip", ["link", "add", uplink, "type", "veth", "peer", "name", "host", "netns", outer]);
    await batch(outer, [`link set host master ${bridge} up`]);
    await run("ip", ["addr", "add", `${network.host}/24`, "dev", uplink]);
    await run("ip", ["link", "set", uplink, "up"]);
    // A host that asks for a service is served by the first node's kube-proxy.
    const services = `route replace ${network.services} via ${nodeAddress(networkNumber, 1)}`;
    await batch(outer, [services]);
    await run("ip", [...services.split(" "), "dev", uplink]);
    await markComplete(outer);
  }
  for (let node = 1; node <= nodes; node++) {
    if (!(await isComplete(nodeNamespace(name, node)))) {
      await createNode(definition, node);
    }
  }
}

async function createNode(definition: ClusterDefinition, node: number): Promise<void> {
  const { name, networkNumber } = definition;
  const network = clusterNetwork(networkNumber);
  const outer = controlPlaneNamespace(name);
  const namespace = nodeNamespace(name, node);
  const address = nodeAddress(networkNumber, node);
  const pods = nodePods(networkNumber, node);
  const port = `node-${node}`;
  await tryRun("ip", ["netns", "delete", namespace]);
  await tryRun("ip", ["-netns", outer, "link", "delete", port]);
  await addNamespace(namespace);
  await batch(outer, [`link add ${port} type veth peer name eth0 netns ${namespace}`]);
  await batch(outer, [`link set ${port} master ${bridge} up`, `route replace ${pods} via ${address}`]);
  await batch(namespace, [
    `addr add ${address}/24 dev eth0`,
    "link set eth0 up",
    // The kernel looks for a route before kube-proxy's rules see a packet of the node itself.
    `route replace ${network.services} dev eth0`,
  ]);
  await run("ip", ["route", "replace", pods, "via", address, "dev", hostInterface(networkNumber)]);
  for (let other = 1; other <= definition.nodes; other++) {
    const otherNamespace = nodeNamespace(name, other);
    if (other !== node && (await isComplete(otherNamespace))) {
      await batch(namespace, [
        `route replace ${nodePods(networkNumber, other)} via ${nodeAddress(networkNumber, other)}`,
      ]);
      await batch(otherNamespace, [`route replace ${pods} via ${address}`]);
    }
  }
  await markComplete(namespace);
}

/** Removes all namespaces of a cluster, and with them all of its interfaces, routes and packet filter rules. */
export async function deleteNetwork(definition: Pick<ClusterDefinition, "name" | "networkNumber">): Promise<void> {
  await tryRun("ip", ["link", "delete", hostInterface(definition.networkNumber)]);
  const own = new RegExp(`^lk-${definition.name}(\\.node-\\d+)?$`);
  for (const namespace of await namespaces()) {
    if (own.test(namespace)) {
      await run("ip", ["netns", "delete", namespace]);
    }
  }
}

async function namespaces(): Promise<string[]> {
  const output = await run("ip", ["netns", "list"]);
  return output
    .split("\n")
    .map((line) => line.split(" ")[0] ?? "")
    .filter((name) => name !== "");
}

/** @param taken the network numbers of other clusters */
export async function findNetworkNumber(taken: number[]): Promise<number> {
  const routes = await run("ip", ["-4", "-json", "route", "show", "table", "all"]);
  const destinations = (JSON.parse(routes) as Array<{ dst: string }>).map(({ dst }) => dst);
  return chooseNetworkNumber(taken, destinations);
}

async function addNamespace(namespace: string): Promise<void> {
  await run("ip", ["netns", "add", namespace]);
  await batch(namespace, ["link set lo up"]);
  await runIn(namespace, ["sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward"]);
}

async function batch(namespace: string, commands: string[]): Promise<void> {
  await run("ip", ["-netns", namespace, "-batch", "-"], { input: `${commands.join("\n")}\n` });
}

// The loopback interface's alias says that a namespace was set up to its end. It goes with the namespace.
const completeMark = "complete";

async function markComplete(namespace: string): Promise<void> {
  await batch(namespace, [`link set lo alias ${completeMark}`]);
}

async function isComplete(namespace: string): Promise<boolean> {
  const output = await tryRun("ip", ["-netns", namespace, "-json", "link", "show", "lo"]);
  return output !== undefined && (JSON.parse(output) as Array<{ ifalias?: string }>)[0]?.ifalias === completeMark;
}
