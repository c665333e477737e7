import { describeError, type Logger } from "@moco-ts/base";
import type { Session } from "../mysql/session.ts";
import type { AgentMetrics } from "../metrics.ts";
import { ok, unavailable, type Answer } from "./answers.ts";
import { observe } from "./observe.ts";
import { judge, type Observation, type ReadinessRules } from "./readiness.ts";

export interface ProbesOptions {
  /** A session each: a slow look at replication must not make mysqld seem dead. */
  readonly healthSession: Session;
  readonly readySession: Session;
  /** Milliseconds. */
  readonly healthTimeout: number;
  readonly readyTimeout: number;
  readonly rules: ReadinessRules;
  readonly metrics: AgentMetrics;
  readonly logger: Logger;
}

/** What the kubelet asks. Answers come in time, even if mysqld's don't. */
export class Probes {
  readonly #options: ProbesOptions;
  #before: Observation | undefined;
  #lastText = "";

  constructor(options: ProbesOptions) {
    this.#options = options;
  }

  /** Whether mysqld answers. */
  async health(signal: AbortSignal): Promise<Answer> {
    const { healthSession, healthTimeout } = this.#options;
    try {
      await healthSession.use(healthTimeout, (connection) => connection.query("SELECT VERSION()"), signal);
      return ok;
    } catch (error) {
      return unavailable(`failed to execute a query: ${describeError(error)}`);
    }
  }

  /** Whether clients may be sent here. */
  async readiness(signal: AbortSignal): Promise<Answer> {
    const { rules, metrics, logger } = this.#options;
    let answer: Answer;
    try {
      const now = await this.#options.readySession.use(this.#options.readyTimeout, observe, signal);
      answer = judge(now, this.#before, rules);
      this.#before = now;
      const delay = now.replica?.delay;
      metrics.setReplicationDelay(delay === undefined ? undefined : delay / 1000);
    } catch (error) {
      answer = unavailable(`failed to look at mysqld: ${describeError(error)}`);
    }
    const kind = answer.text.replaceAll(/[\d.]+/g, "");
    if (kind !== this.#lastText) logger.info("readiness changed", { status: answer.status, text: answer.text });
    this.#lastText = kind;
    return answer;
  }
}
