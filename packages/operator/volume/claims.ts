import type { MySQLCluster } from "@moco-ts/api";
import { CodedError, describeError, toError, type Logger } from "@moco-ts/base";
import { isConflict, keyOf, PersistentVolumeClaims, type Client, type PersistentVolumeClaim } from "@moco-ts/kube";
import { metricLabels, type ClusterMetrics } from "../metrics.ts";
import type { ClaimPlan } from "./decide.ts";

export interface ClaimTools {
  readonly client: Client;
  readonly metrics: ClusterMetrics;
  readonly logger: Logger;
}

interface ClaimChange {
  readonly claim: PersistentVolumeClaim;
  readonly what: string;
  /** A merge patch. */
  readonly body: object;
}

/**
 * Asks for larger volumes, and then copies metadata. One claim that fails holds up no other; afterwards the first problem
 * is thrown, so that it is tried again, and the StatefulSet waits.
 */
export async function changeClaims(
  tools: ClaimTools,
  cluster: MySQLCluster,
  plans: readonly ClaimPlan[],
  signal: AbortSignal,
): Promise<void> {
  const growing = plans.flatMap(growth);
  const problems = await changeEach(tools, growing, signal);
  const labels = metricLabels(cluster);
  if (problems.some((error) => !isConflict(error))) tools.metrics.volumeResizeErrors.inc(labels);
  else if (growing.length > 0 && problems.length === 0) tools.metrics.volumesResized.inc(labels);

  problems.push(...(await changeEach(tools, plans.flatMap(synchronisation), signal)));
  // A conflict is settled by another look; what is thrown decides whether it counts as a failure.
  const worst = problems.find((error) => !isConflict(error)) ?? problems[0];
  if (worst !== undefined) throw toError(worst);
}

function growth({ claim, size }: ClaimPlan): ClaimChange[] {
  if (size.kind !== "grow") return [];
  // With the version that was looked at: a larger request that somebody made since then must not be taken back.
  const { resourceVersion } = claim.metadata ?? {};
  const body = { metadata: { resourceVersion }, spec: { resources: { requests: { storage: size.to } } } };
  return [{ claim, what: `resize from ${size.from} to ${size.to}`, body }];
}

function synchronisation({ claim, metadata }: ClaimPlan): ClaimChange[] {
  return metadata ? [{ claim, what: "copy metadata of its template", body: { metadata } }] : [];
}

/** Returns what went wrong. */
async function changeEach(
  { client, logger }: ClaimTools,
  changes: readonly ClaimChange[],
  signal: AbortSignal,
): Promise<unknown[]> {
  const problems: unknown[] = [];
  for (const { claim, what, body } of changes) {
    const key = { namespace: claim.metadata?.namespace, name: claim.metadata?.name ?? "" };
    try {
      await client.patch(PersistentVolumeClaims, key, { type: "merge", body }, { signal });
      logger.info("changed a PersistentVolumeClaim", { claim: keyOf(key), change: what });
    } catch (error) {
      signal.throwIfAborted();
      const message = `PersistentVolumeClaim ${keyOf(key)}: failed to ${what}: ${describeError(error)}`;
      problems.push(isConflict(error) ? error : new CodedError("CLAIM_UNCHANGED", message, { cause: error }));
    }
  }
  return problems;
}
