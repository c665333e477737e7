/** Simulates batches of seeds, one after the other, as it is asked to. */
import { parentPort } from "node:worker_threads";
import { GtidSets, operatorCode, simulate } from "@moco-ts/operator/simulation";
import type { Batch, BatchResult } from "./protocol.ts";

async function run(batch: Batch): Promise<BatchResult> {
  const gtids = new GtidSets();
  const failures: BatchResult["failures"][number][] = [];
  let [acknowledged, duration, recovery] = [0, 0, 0];
  for (let seed = batch.first; seed < batch.first + batch.count; seed++) {
    const outcome = await simulate({ seed, subject: operatorCode, gtids });
    acknowledged += outcome.acknowledged;
    duration += outcome.duration;
    recovery = Math.max(recovery, outcome.recovery);
    if (outcome.violation !== undefined) failures.push({ seed, violation: outcome.violation });
  }
  return { batch, acknowledged, duration, recovery, failures };
}

parentPort!.on("message", (batch: Batch) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
  void run(batch).then((result) => parentPort!.postMessage(result));
});
