/** Network faults, made with the packet filter in the cluster's own namespaces. The kernel alone remembers them. */
import { randomBytes } from "node:crypto";
import type { ClusterDefinition } from "../cluster/definition.ts";
import { controlPlaneNamespace, runIn } from "../cluster/namespaces.ts";
import { nodePlaces } from "../node/paths.ts";
import { locate, type Endpoint, type Place } from "./endpoint.ts";

export interface CutOptions {
  /** Drop only what goes from the first to the second. Default: false, both ways. */
  oneWay?: boolean;
}

export interface Cut {
  readonly id: string;
  /** Lets everything through again. */
  heal(): Promise<void>;
}

const prefix = "cut_";

/** Silently drops every packet between two endpoints, also of connections that are already open. */
export async function cutNetwork(
  definition: ClusterDefinition,
  from: Endpoint,
  to: Endpoint,
  options: CutOptions = {},
): Promise<Cut> {
  const [source, target] = await Promise.all([locate(definition, from), locate(definition, to)]);
  const id = randomBytes(4).toString("hex");
  const rules = cutRules(id, source, target, options.oneWay ?? false);
  for (const namespace of new Set([...source.namespaces, ...target.namespaces])) {
    await runIn(namespace, ["nft", "-f", "-"], { input: rules });
  }
  return { id, heal: () => healNetwork(definition, id) };
}

/** Heals one cut, or all of a cluster. */
export async function healNetwork(definition: ClusterDefinition, id?: string): Promise<void> {
  const namespaces = [controlPlaneNamespace(definition.name), ...nodePlaces(definition).map((node) => node.namespace)];
  for (const namespace of namespaces) {
    for (const table of await cutTables(namespace)) {
      if (id === undefined || table === `${prefix}${id}`) {
        await runIn(namespace, ["nft", "delete", "table", "inet", table]);
      }
    }
  }
}

// Filter rules come after address translation: what was sent to a service is already on its way to a pod.
function cutRules(id: string, source: Place, target: Place, oneWay: boolean): string {
  const set = (place: Place) => `{ ${place.addresses.join(", ")} }`;
  const drops = [`ip saddr ${set(source)} ip daddr ${set(target)} drop`];
  if (!oneWay) {
    drops.push(`ip saddr ${set(target)} ip daddr ${set(source)} drop`);
  }
  const chains = ["input", "forward", "output"].map(
    (hook) => `chain ${hook} {\ntype filter hook ${hook} priority filter;\n${drops.join("\n")}\n}`,
  );
  return `table inet ${prefix}${id} {\n${chains.join("\n")}\n}\n`;
}

async function cutTables(namespace: string): Promise<string[]> {
  const output = await runIn(namespace, ["nft", "list", "tables", "inet"]);
  const names = output.split("\n").map((line) => line.trim().split(" ").at(-1) ?? "");
  return names.filter((name) => name.startsWith(prefix));
}
