import { CodedError, isAbort, type Logger } from "@moco-ts/base";

/** A part of the program that runs as long as the program does. */
export interface Component {
  readonly name: string;
  /**
   * Runs until the signal is aborted and resolves when it has ended. To reject, or to end before, is a failure that ends
   * the program. `ready` tells that it can be used, which only servers are waited for.
   */
  run(signal: AbortSignal, ready: () => void): Promise<void>;
  /** Whether only the leader runs it. Default true. Servers and caches run everywhere. */
  readonly needLeaderElection?: boolean;
}

/** Components that are stopped together. */
export class ComponentGroup {
  readonly #logger: Logger;
  readonly #onFailure: (error: Error) => void;
  readonly #stopping = new AbortController();
  readonly #running = new Map<Component, Promise<void>>();

  /** `onFailure` is told of a component that fails or ends by itself. */
  constructor(logger: Logger, onFailure: (error: Error) => void) {
    this.#logger = logger;
    this.#onFailure = onFailure;
  }

  /** Names of those that have not ended. */
  get running(): string[] {
    return [...this.#running.keys()].map(({ name }) => name);
  }

  /** Starts a component; resolves when it says that it is ready. */
  start(component: Component): Promise<void> {
    const ready = Promise.withResolvers<void>();
    this.#running.set(component, this.#run(component, ready.resolve));
    return ready.promise;
  }

  /** Tells all to stop; resolves when all have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort(new CodedError("SHUTDOWN", "the program is shutting down"));
    await Promise.all(this.#running.values());
  }

  async #run(component: Component, ready: () => void): Promise<void> {
    const { name } = component;
    const { signal } = this.#stopping;
    try {
      await component.run(signal, ready);
      if (!signal.aborted) throw new CodedError("COMPONENT_ENDED", "it ended by itself");
      this.#logger.debug("component stopped", { component: name });
    } catch (error) {
      if (isAbort(error, signal)) return;
      this.#onFailure(new CodedError("COMPONENT_FAILED", `component ${name} failed`, { cause: error }));
    } finally {
      this.#running.delete(component);
    }
  }
}
