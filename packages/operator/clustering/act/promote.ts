import type { Role } from "@moco-ts/api";
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

/**
 * Services follow at once, while the new primary is still being prepared. Never with nobody in between: nodes would learn of
 * that first, and take a second before they look again.
 */
export async function moveLabels({ surroundings, signal }: Round, from: number, to: number): Promise<void> {
  const label = (ordinal: number, role: Role | undefined): Promise<void> =>
    surroundings.label(ordinal, role, signal).catch((error: unknown) => {
      // A Pod that is gone has no label, and the next look puts right what went wrong.
      surroundings.log.info("label not moved", { problem: describeError(error) });
    });
  await label(to, "primary");
  await label(from, undefined);
}
