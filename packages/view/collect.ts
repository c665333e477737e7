import type { ClusterKey } from "@moco-ts/api";
import type { Clock } from "@moco-ts/base";
import type { Client, PodStreams } from "@moco-ts/kube";
import { assembleView } from "./assemble/view.ts";
import { createInquirer } from "./instances/ask.ts";
import type { ClusterView } from "./model.ts";
import { readObjects } from "./objects.ts";

export interface ViewOptions {
  readonly client: Client;
  readonly streams: PodStreams;
  readonly clock: Clock;
  /** Milliseconds for each instance to answer. Default 5,000. */
  readonly deadline?: number | undefined;
}

/**
 * Looks at a cluster once. Rejects only if the MySQLCluster itself can't be read.
 *
 * @example
 * const view = await collectView({ namespace: "default", name: "test" }, { client, streams, clock }, signal);
 * console.log(view.instances.map(({ index, gap }) => `${index}: ${gap}`));
 */
export async function collectView(key: ClusterKey, options: ViewOptions, signal: AbortSignal): Promise<ClusterView> {
  const objects = await readObjects(options.client, key, signal);
  const inquirer = createInquirer(options);
  try {
    const answers = await inquirer.ask(objects.pods ?? [], signal);
    return assembleView(objects, answers, options.clock.now());
  } finally {
    inquirer.close();
  }
}
