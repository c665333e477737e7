import { setTimeout as delay } from "node:timers/promises";
import { leaderPod } from "./faults.ts";
import { systemNamespace } from "./install.ts";
import type { OperatorCluster } from "./operator-cluster.ts";

/** Milliseconds between two kills, at least and at most. A successor has to wait for the lease to run out. */
const least = 5_000;
const most = 40_000;

/** Kills a controller without a word to anybody. A new Pod takes its place: a container would be started later each time. */
export async function killController(operator: OperatorCluster, pod: string): Promise<void> {
  await operator.local.faults.kill({ namespace: systemNamespace, name: pod });
  await operator.kubectl("delete", "pod", pod, "-n", systemNamespace, "--force");
}

/** Kills the controller that acts, at moments that nobody can foresee, until it is stopped. */
export class Killer {
  readonly #operator: OperatorCluster;
  readonly #ended = new AbortController();
  readonly #work: Promise<void>;

  constructor(operator: OperatorCluster) {
    this.#operator = operator;
    this.#work = this.#run();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#work;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    for (let kills = 1; ; kills++) {
      await delay(least + Math.random() * (most - least), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return console.info(`controllers were killed ${kills - 1} times`);
      // The API server may be away by a test's own doing.
      await leaderPod(this.#operator)
        .then((pod) => killController(this.#operator, pod))
        .catch(() => undefined);
    }
  }
}
