import { onTestFinished } from "vitest";
import { createInformer, type InformerOptions } from "../cache/create-informer.ts";
import type { Informer } from "../cache/informer.ts";
import type { Client } from "../rest/client.ts";
import type { KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";

/** A synced informer that ends with the test. */
export async function testInformer<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  options: InformerOptions<T> = {},
): Promise<Informer<T>> {
  const informer = createInformer(client, resource, options);
  runUntilTestEnds((signal) => informer.run(signal));
  await informer.waitForSync(AbortSignal.timeout(30_000));
  return informer;
}

/** Runs something that ends by a signal, and waits for its end when the test is over. */
export function runUntilTestEnds(run: (signal: AbortSignal) => Promise<void>): { stop: () => Promise<void> } {
  const controller = new AbortController();
  const running = run(controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort(new Error("the test is over"));
    await running;
  };
  onTestFinished(stop);
  return { stop };
}
