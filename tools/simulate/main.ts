/**
 * `make simulate SEEDS=1000000`: runs that many stories on all cores, and tells the first one that goes wrong.
 * `make simulate SEED=42`: tells that one.
 */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { Command, InvalidArgumentError } from "commander";
import { operatorCode, simulate } from "@moco-ts/operator/simulation";
import type { Batch, BatchResult } from "./protocol.ts";

const options = new Command("simulate")
  .description("run clusters, faults and the operator's code in a model, and hold the rules of safety against them")
  .option("--seeds <count>", "how many stories", wholeNumber)
  .option("--seed <number>", "the first of them; alone: only this one, told in full", wholeNumber)
  .option("--workers <count>", "threads", wholeNumber, availableParallelism())
  .parse()
  .opts<{ seeds?: number; seed?: number; workers: number }>();

const batchSize = 100;
const { seeds, seed: first = 1, workers } = options;

if (seeds === undefined && options.seed !== undefined) process.exit(await tell(first));
process.exit(await search(first, seeds ?? 10_000, workers));

/** The exit status. */
async function tell(seed: number): Promise<number> {
  const { story, violation } = await simulate({ seed, subject: operatorCode, isTold: true });
  console.log(story.join("\n"));
  return violation === undefined ? 0 : 1;
}

async function search(start: number, count: number, threads: number): Promise<number> {
  const end = start + count;
  const begun = performance.now();
  const sum = { seeds: 0, acknowledged: 0, hours: 0, recovery: 0 };
  const failures: BatchResult["failures"][number][] = [];
  let next = start;
  const takeBatch = (): Batch | undefined => {
    if (next >= end || failures.length > 0) return undefined;
    const batch = { first: next, count: Math.min(batchSize, end - next) };
    next += batch.count;
    return batch;
  };
  const report = (): void => {
    const perSecond = sum.seeds / ((performance.now() - begun) / 1000);
    console.log(
      `${sum.seeds} of ${count} stories, ${perSecond.toFixed(0)}/s: ${sum.hours.toFixed(0)} hours of simulated time, ` +
        `${sum.acknowledged} rows acknowledged, slowest recovery ${(sum.recovery / 1000).toFixed(0)} s`,
    );
  };
  const progress = setInterval(report, 10_000);
  const runWorker = async (): Promise<void> => {
    const worker = new Worker(new URL("worker.ts", import.meta.url));
    for (let batch = takeBatch(); batch !== undefined; batch = takeBatch()) {
      const result = await ask(worker, batch);
      sum.seeds += batch.count;
      sum.acknowledged += result.acknowledged;
      sum.hours += result.duration / 3_600_000;
      sum.recovery = Math.max(sum.recovery, result.recovery);
      failures.push(...result.failures);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: threads }, runWorker));
  clearInterval(progress);
  report();
  if (failures.length === 0) return 0;
  const [worst] = failures.sort((one, other) => one.seed - other.seed);
  await tell(worst!.seed);
  for (const { seed, violation } of failures) console.log(`seed ${seed}: ${violation}`);
  return 1;
}

async function ask(worker: Worker, batch: Batch): Promise<BatchResult> {
  // Rejects with the worker's error, should it come first.
  const answer = once(worker, "message");
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
  worker.postMessage(batch);
  const [result] = await answer;
  return result as BatchResult;
}

function wholeNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError("not a whole number");
}
