/** Planted bugs, one or more for each rule. None of them is in the production code: they come between it and the world. */
import { fencingMutants } from "./fencing.ts";
import { votingMutants } from "./voting.ts";
import type { Mutant } from "./wrap.ts";

export const mutants: readonly Mutant[] = [...fencingMutants, ...votingMutants];
