/**
 * Which address is where. A cluster has one /16 of the private range 10.0.0.0/8:
 *
 *     10.N.0.0/24      the bridge: the host (.1), the control plane (.2), DNS (.3), the nodes (.11, .12 ...)
 *     10.N.64.0/20     services
 *     10.N.128.0/17    pods; node number n has 10.N.(128+n).0/24
 */
export interface ClusterNetwork {
  /** All of the cluster's addresses. */
  range: string;
  prefixLength: 24;
  host: string;
  controlPlane: string;
  dns: string;
  services: string;
  /** The address of the service "kubernetes". */
  kubernetesService: string;
  pods: string;
}

export const maximumNodes = 100;

export function clusterNetwork(number: number): ClusterNetwork {
  return {
    range: `10.${number}.0.0/16`,
    prefixLength: 24,
    host: `10.${number}.0.1`,
    controlPlane: `10.${number}.0.2`,
    dns: `10.${number}.0.3`,
    services: `10.${number}.64.0/20`,
    kubernetesService: `10.${number}.64.1`,
    pods: `10.${number}.128.0/17`,
  };
}

/** @param node counts from 1 */
export function nodeAddress(number: number, node: number): string {
  return `10.${number}.0.${10 + node}`;
}

/** @param node counts from 1 */
export function nodePods(number: number, node: number): string {
  return `10.${number}.${128 + node}.0/24`;
}

/** The lowest network number that no cluster has and that none of the machine's routes and addresses overlaps. */
export function chooseNetworkNumber(taken: Iterable<number>, destinations: Iterable<string>): number {
  const used = new Set(taken);
  for (const destination of destinations) {
    const [address = "", length = "32"] = destination.split("/");
    const [first, second] = address.split(".").map(Number);
    if (first !== 10 || second === undefined) {
      continue;
    }
    const span = Number(length) >= 16 ? 1 : 2 ** (16 - Math.max(Number(length), 8));
    for (let offset = 0; offset < span; offset++) {
      used.add(second + offset);
    }
  }
  for (let number = 160; number < 256; number++) {
    if (!used.has(number)) {
      return number;
    }
  }
  throw new Error("every network between 10.160.0.0/16 and 10.255.0.0/16 is in use on this machine");
}
