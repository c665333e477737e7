/** For fault tests: an informer that is watched closely, and writes that outlast what is done to the server. */
import { onTestFinished } from "vitest";
import { createLogger, Metrics, retry, systemClock } from "@moco-ts/base";
import { createInformer, type InformerOptions } from "../cache/create-informer.ts";
import type { Client } from "../rest/client.ts";
import { isNotFound } from "../rest/errors.ts";
import { ConfigMaps, type ConfigMap } from "../types/generated/index.ts";
import { History } from "./history.ts";

/** An informer of ConfigMaps, run until the test ends, with its history, its log and its metrics. */
export async function follow(client: Client, namespace: string, options: InformerOptions<ConfigMap> = {}) {
  const metrics = new Metrics();
  const lines: { msg: string; error?: string }[] = [];
  const logger = createLogger({ destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  const informer = createInformer(client, ConfigMaps, { namespaces: [namespace], metrics, logger, ...options });
  const history = new History<ConfigMap>();
  history.follow(informer);
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  onTestFinished(end);
  await informer.waitForSync(AbortSignal.timeout(30_000));
  /** The sum of a counter over its labels. */
  const count = async (name: string): Promise<number> => {
    const metric = await metrics.registry.getSingleMetric(name)!.get();
    return metric.values.reduce((sum, { value }) => sum + value, 0);
  };
  return { informer, history, count, lines, end };
}

export function persistentWriter(client: Client, namespace: string) {
  const persist = <R>(operation: () => Promise<R>): Promise<R> =>
    retry({ clock: systemClock, initial: 50, maximum: 500, attempts: 200 }, operation);
  return {
    put: (name: string, value: string) =>
      persist(() => {
        const object = { metadata: { namespace, name }, data: { value } };
        return client.apply(ConfigMaps, object, { fieldManager: "test", force: true });
      }),
    remove: (name: string) =>
      persist(() =>
        client.delete(ConfigMaps, { namespace, name }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
          return undefined;
        }),
      ),
  };
}

export const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `item-${index}`);

export async function inParallel<I>(
  items: readonly I[],
  width: number,
  work: (item: I) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
