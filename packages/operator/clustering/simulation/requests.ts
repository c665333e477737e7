import { DeadlineError } from "@moco-ts/base";
import type { Record } from "../ports.ts";
import type { Memory } from "../snapshot.ts";
import type { ApiServer, PodObject } from "./api-server.ts";
import type { Network } from "./network.ts";
import type { OperatorProcess } from "./operator-process.ts";
import type { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

export interface RequestSurroundings {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly network: Network;
  readonly api: ApiServer;
  /** How often a request fails, carried out or not. */
  readonly requestFailures: number;
  /** Whoever reads is answered. */
  readonly writesHang: boolean;
  /** Writes are made only by who leads. */
  leads(operator: OperatorProcess): boolean;
  sending(isChange: boolean): void;
  onDisturbance(callback: () => void): void;
}

/** Milliseconds. */
const requestTimeout = 5_000;

/** An operator's requests to the API server. */
export class Requests {
  readonly #world: RequestSurroundings;
  readonly #operator: OperatorProcess;

  constructor(world: RequestSurroundings, operator: OperatorProcess) {
    this.#world = world;
    this.#operator = operator;
  }

  readRecord(signal: AbortSignal): Promise<Record> {
    return this.#request(signal, false, (api) => api.objects.record);
  }

  writeRecord(
    version: string,
    change: { readonly primaryIndex?: number; readonly memory: Memory },
    signal: AbortSignal,
  ): Promise<Record> {
    const { now } = this.#world.scheduler;
    return this.#write(signal, (api) => api.writeRecord(version, change, now));
  }

  writeErrant(errant: readonly number[], signal: AbortSignal): Promise<void> {
    return this.#write(signal, (api) => api.setErrant(errant));
  }

  declareEnded(uuids: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#write(signal, (api) => api.declareEnded(uuids));
  }

  /** Only of the Pod with this uid. */
  async changePod(
    ordinal: number,
    uid: string | undefined,
    change: Partial<PodObject>,
    signal: AbortSignal,
  ): Promise<void> {
    if (uid === undefined) return;
    await this.#write(signal, (api) => {
      if (api.objects.pods[ordinal]?.uid !== uid) throw new Error("conflict: there is no such Pod any more");
      api.changePod(ordinal, change, uid);
    });
  }

  async #write<T>(signal: AbortSignal, perform: (api: ApiServer) => T): Promise<T> {
    if (!this.#world.leads(this.#operator)) throw new Error("this replica does not lead any more");
    return this.#request(signal, true, perform);
  }

  #request<T>(signal: AbortSignal, isChange: boolean, perform: (api: ApiServer) => T): Promise<T> {
    const { scheduler, network, random, api } = this.#world;
    const operator = this.#operator;
    return new Promise<T>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      this.#world.sending(isChange);
      const timeout = operator.clock.schedule(requestTimeout, () => reject(new DeadlineError("API", requestTimeout)));
      const isLost = random.chance(this.#world.requestFailures);
      const isAnswerLost = random.chance(this.#world.requestFailures);
      const isKept = random.chance(0.5);
      const arrive = (): void => {
        if (isLost) return;
        const isHeld = isChange && this.#world.writesHang;
        if (isHeld || !network.passes(operator.name, apiName)) {
          // What can't get through now may get through later: nobody takes it back.
          if (isHeld || isKept) this.#world.onDisturbance(() => scheduler.after(random.between(0, 6_000), arrive));
          return;
        }
        const settle = attempt(() => perform(api), resolve, reject);
        scheduler.after(network.delay(), () => {
          if (isAnswerLost || !network.passes(apiName, operator.name)) return;
          operator.deliver(() => {
            timeout();
            settle();
          });
        });
      };
      scheduler.after(network.delay(), arrive);
    });
  }
}

/** The API server's name in the network. */
export const apiName = "api";

/** Does it now, and returns what tells of it later. */
function attempt<T>(perform: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): () => void {
  try {
    const value = perform();
    return () => resolve(value);
  } catch (error) {
    return () => reject(error);
  }
}
