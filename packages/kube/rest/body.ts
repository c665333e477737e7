import { ConnectionError } from "./errors.ts";

/** Who can hold a response back or end it. */
export interface Flow {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** A server that sends faster than we read is held back when so much is waiting. */
const highWaterMark = 1 << 20;

/** A response's body, read in batches of whatever has come: far cheaper than a stream for many small pieces. */
export class Body {
  readonly #flow: Flow;
  #waiting: Buffer[] = [];
  #size = 0;
  #outcome: { readonly error?: Error } | undefined;
  #wake: (() => void) | undefined;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  push(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#size += chunk.length;
    if (this.#size > highWaterMark) this.#flow.pause();
    this.#wake?.();
  }

  /** Nothing more will come. */
  finish(error?: Error): void {
    this.#outcome ??= error ? { error } : {};
    this.#wake?.();
  }

  /** What has come since the last call, or undefined at the end. Only one caller may wait. */
  async read(): Promise<Buffer[] | undefined> {
    while (this.#waiting.length === 0) {
      if (this.#outcome?.error) throw this.#outcome.error;
      if (this.#outcome) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
    const batch = this.#waiting;
    this.#waiting = [];
    this.#size = 0;
    this.#flow.resume();
    return batch;
  }

  async text(): Promise<string> {
    const chunks: Buffer[] = [];
    for (let batch = await this.read(); batch; batch = await this.read()) chunks.push(...batch);
    return (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString("utf8");
  }

  /** Whoever reads gets `reason`; the connection is closed unless everything has come already. */
  destroy(reason: Error = new ConnectionError("the answer was given up")): void {
    if (this.#outcome) return;
    this.finish(reason);
    this.#waiting = [];
    this.#flow.abort(reason);
  }
}
