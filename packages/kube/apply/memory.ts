import { createHash } from "node:crypto";
import type { Difference } from "./compare.ts";

/** Objects that are remembered; beyond it the oldest are forgotten, which costs one needless apply each. */
const capacity = 20_000;

interface Memory {
  readonly desired: string;
  readonly leftOver: ReadonlySet<string>;
}

/**
 * What our applies left different. A server or a webhook may store a field in another form than we know: what is still
 * different right after an apply will be after the next one too, so that it is no reason for one.
 */
export class ApplyMemory {
  readonly #memories = new Map<string, Memory>();

  /** Call after each apply with what differs in the result. */
  remember(id: string, desired: object, leftOver: readonly Difference[]): void {
    this.#memories.delete(id);
    this.#memories.set(id, { desired: digest(desired), leftOver: new Set(leftOver.map(fingerprint)) });
    const [oldest] = this.#memories.keys();
    if (this.#memories.size > capacity && oldest !== undefined) this.#memories.delete(oldest);
  }

  /** True if this very configuration was applied last. */
  wasApplied(id: string, desired: object): boolean {
    return this.#memories.get(id)?.desired === digest(desired);
  }

  /** The differences that this very configuration did not leave behind when it was applied last. */
  unexplained(id: string, desired: object, differences: readonly Difference[]): readonly Difference[] {
    if (differences.length === 0) return differences;
    const memory = this.#memories.get(id);
    if (memory?.desired !== digest(desired)) return differences;
    return differences.filter((difference) => !memory.leftOver.has(fingerprint(difference)));
  }
}

function fingerprint({ kind, path, live }: Difference): string {
  return digest([kind, path, live ?? null]);
}

/** Only digests are kept: configurations hold secrets. */
function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64");
}
