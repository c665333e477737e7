import type { PersistentVolumeClaim } from "@moco-ts/kube";
import type { TargetPlan } from "../decision/plan.ts";
import { capacityOf, type Recollection } from "../decision/snapshot.ts";
import type { VolumeUsage } from "../usage/usage.ts";

/** What is remembered of a claim from one round to the next. */
interface Entry {
  readonly uid: string;
  /** The round that it was last seen in. */
  round: number;
  /** Sizes in the last round: of the claim, and of its file system as far as it was known. */
  capacity: bigint;
  fileSystem: number | undefined;
  staleCapacity: number | undefined;
  waitingSince: number | undefined;
  namesakeSeenAt: number | undefined;
}

/** Milliseconds; longer than statistics of a volume that is gone can be around. */
const goneMemory = 10 * 60_000;

/** What earlier rounds have seen. It is lost with the process, and nothing that matters depends on that. */
export class Memory {
  readonly #entries = new Map<string, Entry>();
  /** Claims that are gone. */
  readonly #gone = new Map<string, { readonly uid: string; readonly seenAt: number }>();
  #round = 0;

  /** Looks at a claim for the first time in a round. */
  recall(key: string, claim: PersistentVolumeClaim, usage: VolumeUsage | undefined, now: number): Recollection {
    const entry = this.#entryOf(key, claim, now);
    const capacity = capacityOf(claim);
    const fileSystem = usage?.capacity ?? entry.fileSystem;
    const before = entry.fileSystem;
    // The claim has grown and its file system has not been seen to: all numbers are from before.
    if (entry.capacity !== 0n && capacity > entry.capacity && fileSystem === before) entry.staleCapacity = before;
    if (fileSystem !== entry.staleCapacity) entry.staleCapacity = undefined;
    entry.round = this.#round;
    entry.capacity = capacity;
    entry.fileSystem = fileSystem;
    const { staleCapacity, waitingSince, namesakeSeenAt } = entry;
    return { staleCapacity, waitingSince, namesakeSeenAt, justChanged: before !== undefined && before !== fileSystem };
  }

  /** Takes note of what was decided. */
  remember(key: string, plan: TargetPlan, now: number): void {
    const entry = this.#entries.get(key);
    if (entry) entry.waitingSince = plan.resizing ? (entry.waitingSince ?? now) : undefined;
  }

  /** Ends a round: forgets claims that were not seen in it. Returns their keys. */
  endRound(now: number): string[] {
    const forgotten: string[] = [];
    for (const [key, { round, uid }] of this.#entries) {
      if (round === this.#round) continue;
      this.#entries.delete(key);
      this.#gone.set(key, { uid, seenAt: now });
      forgotten.push(key);
    }
    for (const [key, { seenAt }] of this.#gone) if (now - seenAt > goneMemory) this.#gone.delete(key);
    this.#round++;
    return forgotten;
  }

  #entryOf(key: string, claim: PersistentVolumeClaim, now: number): Entry {
    const uid = claim.metadata?.uid ?? "";
    const known = this.#entries.get(key);
    if (known?.uid === uid) return known;
    const namesake = known ? { uid: known.uid, seenAt: now } : this.#gone.get(key);
    const entry: Entry = {
      uid,
      round: this.#round,
      capacity: 0n,
      fileSystem: undefined,
      staleCapacity: undefined,
      waitingSince: undefined,
      namesakeSeenAt: namesake && namesake.uid !== uid ? namesake.seenAt : undefined,
    };
    this.#entries.set(key, entry);
    return entry;
  }
}
