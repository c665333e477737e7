import { waitForCondition } from "./conditions.ts";
import { heal, primaryPod, type Fault } from "./faults.ts";
import type { OperatorCluster } from "./operator-cluster.ts";
import type { Writer } from "./writer/writer.ts";

export interface Strike {
  readonly pod: string;
  /** Milliseconds without an acknowledged write. */
  readonly pause: number;
}

/** Does this to the primary while a client writes, and waits until all is well again. */
export async function strike(
  operator: OperatorCluster,
  cluster: string,
  writer: Writer,
  fault: Fault,
): Promise<Strike> {
  const pod = await primaryPod(operator, cluster);
  const since = Date.now();
  await fault.inject(operator, cluster, pod);
  const pause = await writer.longestPause(since, 180_000);
  await heal(operator, fault, pod);
  await waitForCondition(operator, cluster, "Healthy", "True", 300_000);
  return { pod, pause };
}

/** Median, 95th percentile and most. */
export function distribution(all: readonly number[]): { median: number; p95: number; most: number } {
  const sorted = all.toSorted((one, other) => one - other);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
  return { median: at(0.5), p95: at(0.95), most: sorted.at(-1)! };
}
