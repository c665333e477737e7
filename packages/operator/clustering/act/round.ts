import { CodedError, sleep } from "@moco-ts/base";
import { isConflict } from "@moco-ts/kube";
import { receivedBy, type GtidSet, type Instance } from "@moco-ts/mysql";
import type { Record, Surroundings } from "../ports.ts";
import type { InstanceView, Memory, Snapshot } from "../snapshot.ts";

/** One plan being carried out: what it was made from, and the record as this round has left it. */
export class Round {
  readonly snapshot: Snapshot;
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
  #record: Record;

  private constructor(snapshot: Snapshot, record: Record, surroundings: Surroundings, signal: AbortSignal) {
    this.snapshot = snapshot;
    this.surroundings = surroundings;
    this.signal = signal;
    this.#record = record;
  }

  /** Begins with a look at the record itself: what was decided from an old copy of it must not be done. */
  static async begin(snapshot: Snapshot, surroundings: Surroundings, signal: AbortSignal): Promise<Round> {
    const record = await surroundings.readRecord(signal);
    if (!isSame(record, snapshot))
      throw new CodedError("CLUSTERING_STALE", "somebody else has changed what the cluster remembers");
    return new Round(snapshot, record, surroundings, signal);
  }

  /** Throws if nothing has been recorded. */
  get memory(): Memory {
    if (this.#record.memory) return this.#record.memory;
    throw new CodedError("CLUSTERING_NO_RECORD", "nothing is recorded of this cluster yet");
  }

  async write({ primaryIndex, memory }: { primaryIndex?: number; memory: Memory }): Promise<void> {
    const { settling } = this.surroundings;
    const revision = (this.#record.memory?.revision ?? 0) + 1;
    const change = { ...(primaryIndex !== undefined && { primaryIndex }), memory: { ...memory, revision } };
    settling.isSettled = false;
    this.#record = await this.#put(change);
    settling.isSettled = true;
  }

  /** Others change the same object, now and then in the middle of a failover: it matters only whether they changed the record. */
  async #put(change: { readonly primaryIndex?: number; readonly memory: Memory }): Promise<Record> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.surroundings.writeRecord(this.#record.version, change, this.signal);
      } catch (error) {
        if (!isConflict(error) || attempt === attempts) throw error;
        const record = await this.surroundings.readRecord(this.signal);
        if (!isSame(record, this.#record)) throw error;
        this.#record = record;
      }
    }
  }

  /** From here on the record is what this round says: a write that is still under way is refused when it arrives. */
  async settle(): Promise<void> {
    const { memory } = this.#record;
    if (memory && !this.surroundings.settling.isSettled) await this.write({ memory });
  }

  view(ordinal: number): InstanceView {
    return this.snapshot.instances[ordinal]!;
  }

  instance(ordinal: number): Instance {
    const instance = this.surroundings.instance(ordinal);
    if (instance) return instance;
    throw new CodedError("CLUSTERING_NO_ADDRESS", `instance ${ordinal} has no address`);
  }

  get primary(): Instance {
    return this.instance(this.snapshot.primaryIndex);
  }

  /** Ordinals of the voters that the snapshot knows, without the primary. */
  voters(): number[] {
    const { memory } = this;
    return this.snapshot.instances
      .filter(({ state }) => state && state.uuid !== memory.primary && memory.voters.includes(state.uuid))
      .map(({ ordinal }) => ordinal);
  }

  /** Waits until so many of the instances have received all of these. Throws if they have not after two seconds. */
  async waitForReceivers(ordinals: readonly number[], wanted: GtidSet, count: number): Promise<void> {
    const { clock } = this.surroundings;
    const end = clock.monotonic() + receiveLimit;
    const waiting = new Set(ordinals);
    let holders = 0;
    for (;;) {
      for (const ordinal of waiting) {
        if (holders >= count) return;
        if (!(await this.#hasReceived(ordinal, wanted))) continue;
        waiting.delete(ordinal);
        holders++;
      }
      if (holders >= count) return;
      if (clock.monotonic() >= end) {
        const message = `only ${holders} of ${count} instances have received everything so far`;
        throw new CodedError("CLUSTERING_NOT_RECEIVED", message);
      }
      await sleep(clock, 50, this.signal);
    }
  }

  async #hasReceived(ordinal: number, wanted: GtidSet): Promise<boolean> {
    const expected = this.view(ordinal).state?.uuid;
    try {
      const state = await this.instance(ordinal).observe(this.signal);
      return state.uuid === expected && receivedBy(state).contains(wanted);
    } catch {
      // Who can't be asked is not counted.
      this.signal.throwIfAborted();
      return false;
    }
  }
}

const receiveLimit = 2_000;
const attempts = 3;

type Remembered = Pick<Record, "primaryIndex" | "memory">;

function isSame(one: Remembered, other: Remembered): boolean {
  return one.primaryIndex === other.primaryIndex && JSON.stringify(one.memory) === JSON.stringify(other.memory);
}
