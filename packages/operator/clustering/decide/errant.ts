import { receivedBy, reservedUuid, type GtidSet } from "@moco-ts/mysql";
import type { Snapshot } from "../snapshot.ts";
import { isWritten, knownInstances, others, recordedPrimary, type Known } from "./facts.ts";

export interface Errants {
  /** Ordinals of instances that have transactions which the primary does not have. */
  readonly errant: readonly number[];
  /** server_uuids that look so for the first time. */
  readonly suspects: readonly string[];
}

/** Nothing is done to an instance that looks errant before a second look has confirmed it. */
export function findErrant(snapshot: Snapshot): Errants {
  const primary = recordedPrimary(snapshot);
  if (primary === undefined || (primary.state.executed.isEmpty && isWritten(snapshot))) {
    return { errant: snapshot.errantBefore.filter((ordinal) => ordinal !== snapshot.primaryIndex), suspects: [] };
  }
  const looking = others(knownInstances(snapshot), snapshot).filter((each) => !surplus(each, primary).isEmpty);
  const isConfirmed = ({ ordinal, state }: Known): boolean =>
    snapshot.suspects.has(state.uuid) || snapshot.errantBefore.includes(ordinal);
  const unknown = snapshot.errantBefore.filter((ordinal) => snapshot.instances[ordinal]?.state === undefined);
  return {
    errant: [...new Set([...looking.filter(isConfirmed).map(({ ordinal }) => ordinal), ...unknown])].sort(
      (one, other) => one - other,
    ),
    suspects: looking.map(({ state }) => state.uuid),
  };
}

/**
 * What an instance has and the primary has not. A replica has a transaction of the primary's own before the primary
 * itself has committed it.
 */
export function surplus({ state }: Known, primary: Known): GtidSet {
  const extra = receivedBy(state).subtract(primary.state.executed);
  return extra.subtract(extra.from([primary.state.uuid, reservedUuid]));
}
