/**
 * rounds: looks at all claims at once, since statistics come for all volumes at once, and asks for what is decided. What
 * fails for one node or one claim is told, and the others go on.
 */
import type { Clock, Logger } from "@moco-ts/base";
import { isConflict, isNotFound, keyOf, type Client, type Informer } from "@moco-ts/kube";
import type { PersistentVolumeClaim, StorageClass } from "@moco-ts/kube";
import { decideTarget, type Rules } from "../decision/decide.ts";
import type { ResizePlan, TargetPlan } from "../decision/plan.ts";
import { whyIgnored } from "../decision/target.ts";
import { GrowingGroups } from "../groups.ts";
import type { AutoresizerMetrics } from "../metrics.ts";
import type { UsageSource, VolumeUsage } from "../usage/usage.ts";
import { Memory } from "./memory.ts";
import type { Reporter } from "./reporter.ts";
import { resize } from "./resize.ts";

export interface RoundsOptions {
  readonly client: Client;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly storageClasses: Informer<StorageClass>;
  readonly source: UsageSource;
  readonly rules: Rules;
  readonly reporter: Reporter;
  readonly metrics: AutoresizerMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether to say what would be done instead of doing it. */
  readonly dryRun: boolean;
  /** Bytes of /metrics beyond which the counters of claims start anew. 0: never. */
  readonly metricsResetSize: number;
}

interface Resize {
  readonly key: string;
  readonly claim: PersistentVolumeClaim;
  readonly usage: VolumeUsage | undefined;
  readonly plan: ResizePlan;
}

/** Requests under way at the same time. */
const concurrency = 8;

export class Rounds {
  readonly #options: RoundsOptions;
  readonly #memory = new Memory();

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** One round. Rejects only when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, metrics, metricsResetSize } = this.#options;
    const began = clock.monotonic();
    try {
      const volumes = await this.#readUsage(signal);
      const resizes = this.#decideAll(volumes);
      const next = async (): Promise<void> => {
        for (let each = resizes.pop(); each !== undefined; each = resizes.pop()) await this.#resize(each, signal);
      };
      await Promise.all(Array.from({ length: concurrency }, next));
    } finally {
      metrics.loopSeconds.inc((clock.monotonic() - began) / 1000);
    }
    if (metricsResetSize > 0) await metrics.resetIfLargerThan(metricsResetSize);
  }

  /** Without any statistics a round still sees resizes that don't end, and groups that have grown. */
  async #readUsage(signal: AbortSignal): Promise<ReadonlyMap<string, VolumeUsage>> {
    const { source, metrics, logger } = this.#options;
    const { volumes, failures } = await source.read(signal);
    for (const { source: name, error } of failures) {
      metrics.metricsClientFail.inc();
      logger.error("failed to get volume statistics", { source: name, error });
    }
    return volumes;
  }

  #decideAll(volumes: ReadonlyMap<string, VolumeUsage>): Resize[] {
    const { claims, clock, reporter } = this.#options;
    const all = claims.cache.list();
    const groups = new GrowingGroups(all);
    const resizes: Resize[] = [];
    for (const claim of all) {
      const key = keyOf(claim);
      try {
        const usage = volumes.get(key);
        const plan = this.#decide(key, claim, usage, groups);
        if (plan === undefined) continue;
        reporter.decided(key, claim, plan);
        if (plan.kind === "resize") resizes.push({ key, claim, usage, plan });
      } catch (error) {
        this.#options.logger.error("could not decide about a claim", { error, claim: key });
      }
    }
    for (const key of this.#memory.endRound(clock.now())) reporter.forget(key);
    return resizes;
  }

  #decide(
    key: string,
    claim: PersistentVolumeClaim,
    usage: VolumeUsage | undefined,
    groups: GrowingGroups,
  ): TargetPlan | undefined {
    const { storageClasses, rules, clock } = this.#options;
    const storageClass = storageClasses.cache.get(claim.spec?.storageClassName ?? "");
    if (whyIgnored(claim, storageClass, rules) !== undefined) return undefined;
    const now = clock.now();
    const recollection = this.#memory.recall(key, claim, usage, now);
    const groupRequest = groups.requestFor(claim);
    const plan = decideTarget({ claim, storageClass, usage, groupRequest, recollection }, rules, now);
    this.#memory.remember(key, plan, now);
    return plan;
  }

  async #resize({ key, claim, usage, plan }: Resize, signal: AbortSignal): Promise<void> {
    const { client, clock, dryRun, reporter, logger } = this.#options;
    if (dryRun) return reporter.wouldResize(key, claim, plan);
    try {
      await resize(client, { claim, usage, request: plan.request }, clock.now(), signal);
      reporter.resized(key, claim, plan);
    } catch (error) {
      signal.throwIfAborted();
      if (isConflict(error) || isNotFound(error))
        logger.debug("the claim has changed meanwhile", { error, claim: key });
      else reporter.refused(key, claim, plan, error);
    }
  }
}
