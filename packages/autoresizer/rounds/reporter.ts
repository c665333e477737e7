import { describeError, type Clock, type Logger } from "@moco-ts/base";
import type { EventContent, EventRecorder, PersistentVolumeClaim } from "@moco-ts/kube";
import type { Problem, ResizePlan, TargetPlan } from "../decision/plan.ts";
import { quantityText } from "../decision/text.ts";
import type { AutoresizerMetrics } from "../metrics.ts";

export interface ReporterOptions {
  readonly events: Pick<EventRecorder, "record">;
  readonly metrics: AutoresizerMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Events are kept for an hour: what goes on for longer is told again. */
const repeatInterval = 3_600_000;

/** Turns what became of a claim into log lines, Events and metrics: the one place that does. */
export class Reporter {
  readonly #options: ReporterOptions;
  /** What users were told of a claim last, by key, and when. */
  readonly #told = new Map<string, { readonly what: string; readonly at: number }>();

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  decided(key: string, claim: PersistentVolumeClaim, plan: TargetPlan): void {
    const { metrics, logger } = this.#options;
    metrics.appear(key);
    if (plan.counts) metrics.count(plan.counts, key);
    // Whether a resize is refused again is not known yet.
    if (plan.kind !== "resize" || plan.problem) this.#setProblem(key, claim, plan.problem);
    logger.debug("decided", { ...namesOf(claim), plan: plan.kind, reason: plan.reason });
  }

  resized(key: string, claim: PersistentVolumeClaim, { request, reason, problem }: ResizePlan): void {
    const { metrics, logger } = this.#options;
    const { namespace, name } = namesOf(claim);
    const from = claim.status?.capacity?.["storage"];
    logger.info("resize started", { namespace, name, from, to: quantityText(request), reason });
    metrics.resized(key);
    const message = `PVC volume is resized to ${quantityText(request)}`;
    this.#record(claim, { type: "Normal", reason: "Resized", action: "Resized", message });
    this.#setProblem(key, claim, problem);
  }

  /** In a dry run. */
  wouldResize(key: string, claim: PersistentVolumeClaim, { request, reason }: ResizePlan): void {
    const size = quantityText(request);
    if (!this.#isNews(key, `would resize to ${size}`)) return;
    this.#options.logger.info("would resize, but for the dry run", { ...namesOf(claim), to: size, reason });
    const message = `PVC volume would be resized to ${size}, but for the dry run: ${reason}`;
    this.#record(claim, { type: "Normal", reason: "WouldResize", action: "None", message });
  }

  /** The API server refused the resize, or did not answer. */
  refused(key: string, claim: PersistentVolumeClaim, { request }: ResizePlan, error: unknown): void {
    const { metrics, logger } = this.#options;
    const { namespace, name } = namesOf(claim);
    logger.error("failed to resize PVC", { namespace, name, to: quantityText(request), error });
    metrics.kubernetesClientFail.inc();
    metrics.count("failed", key);
    const message = `the volume could not be resized to ${quantityText(request)}: ${describeError(error)}`;
    this.#setProblem(key, claim, { name: "ResizeFailed", message, about: "refused" });
  }

  /** The claim is not managed any more. */
  forget(key: string): void {
    this.#told.delete(key);
    this.#options.metrics.forget(key);
  }

  #setProblem(key: string, claim: PersistentVolumeClaim, problem: Problem | undefined): void {
    this.#options.metrics.setProblem(key, problem?.name);
    if (problem === undefined || !this.#isNews(key, `${problem.name} ${problem.about ?? ""}`)) return;
    this.#options.logger.warn(problem.message, { ...namesOf(claim), problem: problem.name });
    this.#record(claim, { type: "Warning", reason: problem.name, action: "Resize", message: problem.message });
  }

  /** Whether users have not been told this, or so long ago that they can't see it any more. */
  #isNews(key: string, what: string): boolean {
    const now = this.#options.clock.now();
    const told = this.#told.get(key);
    if (told?.what === what && now - told.at < repeatInterval) return false;
    this.#told.set(key, { what, at: now });
    return true;
  }

  #record(claim: PersistentVolumeClaim, content: EventContent): void {
    this.#options.events.record({ apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim }, content);
  }
}

function namesOf({ metadata }: PersistentVolumeClaim): { namespace: string; name: string } {
  return { namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" };
}
