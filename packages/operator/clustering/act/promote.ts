import { describeError } from "@moco-ts/base";
import type { Known } from "../decide/facts.ts";
import type { Memory } from "../snapshot.ts";
import type { Round } from "./round.ts";

/** What is remembered of a cluster whose primary is another one now. Nobody's vote is forgotten by that. */
export function succession(memory: Memory, { state, pod }: Known, isGone: boolean): Memory {
  const { uuid } = state;
  return {
    ...memory,
    primary: uuid,
    primaryAddress: pod?.address ?? "",
    primaries: [...new Set([...memory.primaries, uuid])].sort(),
    voters: [...new Set([...memory.voters, uuid])].sort(),
    deposed: [...memory.deposed, ...(isGone ? [memory.primary] : [])].filter((each) => each !== uuid).sort(),
  };
}

/** Services follow at once, while the new primary is still being prepared: nodes take a second to notice. */
export async function moveLabels({ surroundings, signal }: Round, from: number, to: number): Promise<void> {
  const moves = [surroundings.label(to, "primary", signal), surroundings.label(from, undefined, signal)];
  for (const move of await Promise.allSettled(moves)) {
    // A Pod that is gone has no label, and the next look puts right what went wrong.
    if (move.status === "rejected") surroundings.log.info("label not moved", { problem: describeError(move.reason) });
  }
}
