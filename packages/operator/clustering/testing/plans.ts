/** Plans for tests of decisions, and what of them tests look at. */
import { decide } from "../decide/decide.ts";
import type { Plan } from "../plan.ts";
import { snapshot, type SnapshotChanges } from "./snapshots.ts";

export function plan(changes: SnapshotChanges = {}): Plan {
  return decide(snapshot(changes));
}

export function kinds({ steps }: Plan): string[] {
  return steps.map(({ kind }) => kind);
}

/** Of one instance. */
export function stepsOf({ perInstance }: Plan, ordinal: number): string[] {
  return perInstance.find((each) => each.ordinal === ordinal)?.steps.map(({ kind }) => kind) ?? [];
}
