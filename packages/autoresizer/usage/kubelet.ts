import { CodedError } from "@moco-ts/base";
import type { Client } from "@moco-ts/kube";
import { readExposition } from "./exposition.ts";
import type { UsageFailure, UsageReport, UsageSource, VolumeUsage } from "./usage.ts";

export interface KubeletUsageOptions {
  /** One of its own, without a limit on its rate: a round asks every node. */
  readonly client: Client;
  /** Names of the nodes there are. */
  readonly nodes: () => readonly string[];
  /** Milliseconds for the answer of one node. */
  readonly timeout: number;
  /** Nodes that are asked at the same time. Default 16. */
  readonly concurrency?: number;
}

/** Asks the kubelet of every node, through the API server. */
export class KubeletUsage implements UsageSource {
  readonly #options: KubeletUsageOptions;

  constructor(options: KubeletUsageOptions) {
    this.#options = options;
  }

  async read(signal: AbortSignal): Promise<UsageReport> {
    const volumes = new Map<string, VolumeUsage>();
    const failures: UsageFailure[] = [];
    const names = [...this.#options.nodes()];
    const ask = async (): Promise<void> => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        try {
          for (const [key, usage] of await this.#ask(name, signal)) {
            volumes.set(key, newer(volumes.get(key), usage));
          }
        } catch (error) {
          signal.throwIfAborted();
          failures.push({ source: `node ${name}`, error });
        }
      }
    };
    await Promise.all(Array.from({ length: this.#options.concurrency ?? 16 }, ask));
    return { volumes, failures };
  }

  async #ask(node: string, signal: AbortSignal): Promise<Map<string, VolumeUsage>> {
    const { client, timeout } = this.#options;
    const path = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/metrics`;
    const { status, body } = await client.raw(path, { signal, timeout });
    if (status !== 200) throw new CodedError("KUBELET_STATISTICS", `GET ${path}: ${status} ${body.slice(0, 200)}`);
    return readExposition(body);
  }
}

/**
 * A volume that several nodes tell of is used by several, or has just moved. As volumes only grow, the larger one is the
 * newer one; between equal ones the fuller one is believed.
 */
function newer(one: VolumeUsage | undefined, other: VolumeUsage): VolumeUsage {
  if (one === undefined || other.capacity > one.capacity) return other;
  return other.capacity === one.capacity && other.available < one.available ? other : one;
}
