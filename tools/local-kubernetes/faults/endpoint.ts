import type { ClusterDefinition } from "../cluster/definition.ts";
import { controlPlaneNamespace } from "../cluster/namespaces.ts";
import { clusterNetwork } from "../cluster/network.ts";
import { nodePlaces } from "../node/paths.ts";
import { getPod, type PodReference } from "./pod.ts";

/** One side of a network fault. A node stands for itself and its pods, the host for every program outside. */
export type Endpoint = { pod: PodReference } | { node: string } | "api-server" | "dns" | "host";

export interface Place {
  /** Addresses and CIDRs. */
  addresses: string[];
  /** The network namespaces that all of its packets pass through. */
  namespaces: string[];
}

/** Where an endpoint is now. A pod that is made anew later has another address. */
export async function locate(definition: ClusterDefinition, endpoint: Endpoint): Promise<Place> {
  const network = clusterNetwork(definition.networkNumber);
  const central = [controlPlaneNamespace(definition.name)];
  switch (endpoint) {
    case "api-server":
      return { addresses: [network.controlPlane], namespaces: central };
    case "dns":
      return { addresses: [network.dns], namespaces: central };
    case "host":
      return { addresses: [network.host], namespaces: central };
    default:
      return "pod" in endpoint ? locatePod(definition, endpoint.pod) : locateNode(definition, endpoint.node);
  }
}

function locateNode(definition: ClusterDefinition, name: string): Place {
  const place = nodePlaces(definition).find((each) => each.name === name);
  if (place === undefined) {
    throw new Error(`there is no node ${name} in the cluster ${definition.name}`);
  }
  return { addresses: [place.address, place.pods], namespaces: [place.namespace] };
}

async function locatePod(definition: ClusterDefinition, reference: PodReference): Promise<Place> {
  const { spec, status } = await getPod(definition, reference);
  const { namespace, name } = reference;
  if (spec.hostNetwork) {
    throw new Error(`the pod ${namespace}/${name} has its node's network: cut the node instead`);
  }
  if (spec.nodeName === undefined || status.podIP === undefined) {
    throw new Error(`the pod ${namespace}/${name} has no address yet`);
  }
  return { addresses: [status.podIP], namespaces: locateNode(definition, spec.nodeName).namespaces };
}

/** Reads "pod/NAMESPACE/NAME", "node/NAME", "api-server", "dns" or "host". */
export function parseEndpoint(text: string): Endpoint {
  if (text === "api-server" || text === "dns" || text === "host") {
    return text;
  }
  const [, node] = /^node\/([^/]+)$/.exec(text) ?? [];
  if (node !== undefined) {
    return { node };
  }
  const [, namespace, name] = /^pod\/([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) {
    return { pod: { namespace, name } };
  }
  throw new Error(`"${text}" is none of pod/NAMESPACE/NAME, node/NAME, api-server, dns, host`);
}
