/** Every kind of fault, how often it happens, and what is worst together. */
import type { Fault, FaultContext } from "./context.ts";
import * as control from "./control-plane.ts";
import * as network from "./network.ts";
import * as people from "./people.ts";
import * as processes from "./processes.ts";

const alone = {
  kill: [processes.kill, 10],
  freeze: [processes.freeze, 8],
  losePower: [processes.losePower, 4],
  terminate: [processes.terminate, 4],
  deletePod: [processes.deletePod, 8],
  forceDeletePod: [processes.forceDeletePod, 8],
  loseDisk: [processes.loseDisk, 6],
  slowApplier: [processes.slowApplier, 5],
  slowReceiver: [processes.slowReceiver, 8],
  cutFromPeers: [network.cutFromPeers, 8],
  cutFromOperators: [network.cutFromOperators, 8],
  cutOff: [network.cutOff, 8],
  slowNetwork: [network.slowNetwork, 4],
  crashOperator: [control.crashOperator, 10],
  freezeOperator: [control.freezeOperator, 6],
  loseLease: [control.loseLease, 4],
  failRequests: [control.failRequests, 5],
  hangWrites: [control.hangWrites, 4],
  touchCluster: [control.touchCluster, 3],
  stickWatches: [control.stickWatches, 5],
  demote: [people.demote, 8],
  reclone: [people.reclone, 3],
  scale: [people.scale, 3],
  writeErrant: [people.writeErrant, 6],
  stopReceiver: [people.stopReceiver, 4],
  stopApplier: [people.stopApplier, 4],
  purge: [people.purge, 3],
  tamper: [people.tamper, 3],
} as const satisfies Record<string, readonly [Fault, number]>;

/** One after the other, with little time in between. Chance alone would need long to find these. */
const together = {
  // A successor acts while the operator before it sleeps in the middle of something.
  asleepAndPrimaryCutOff: [
    (each) => control.freezeOperator(each, 12_000),
    (each) => network.cutOff(each, each.primary()),
  ],
  asleepAndDemoted: [(each) => control.freezeOperator(each, 12_000), (each) => people.demote(each)],
  // Only one has the last rows, and it is out of reach.
  lastRowsOutOfReach: [
    (each) => processes.slowReceiver(each),
    (each) => network.cutFromOperators(each, each.replica()),
    (each) => processes.kill(each, each.primary()),
  ],
  lastRowsFrozen: [
    (each) => processes.slowReceiver(each),
    (each) => processes.freeze(each, each.replica()),
    (each) => processes.kill(each, each.primary()),
  ],
  slowSuccessor: [demoteToSlow],
  // The old primary is back in the middle of a failover, and one replica lags behind.
  briefCutWithLaggard: [
    (each) => processes.slowReceiver(each),
    (each) => network.cutOff(each, each.primary(), each.world.random.between(4_500, 9_000)),
  ],
  lateRequests: [
    network.cutLeaderFromApi,
    (each) => people.demote(each),
    (each) => network.cutOff(each, each.primary()),
  ],
  // The old primary is back before the word of its successor arrives.
  lateFailover: [
    (each) => control.hangWrites(each, each.world.random.between(4_500, 8_000)),
    (each) => processes.kill(each, each.primary()),
  ],
  unappliedRelay: [(each) => processes.slowApplier(each), (each) => processes.kill(each, each.primary())],
  leftBehind: [
    (each) => network.cutFromPeers(each, each.primary()),
    (each) => processes.forceDeletePod(each, each.primary()),
  ],
} as const satisfies Record<string, readonly Fault[]>;

export type FaultName = keyof typeof alone | keyof typeof together;

/** How often each kind happens by itself, if none is asked for. */
export const faultWeights: readonly (readonly [FaultName, number])[] = [
  ...Object.entries(alone).map(([name, [, weight]]) => [name as FaultName, weight] as const),
  ...Object.keys(together).map((name) => [name as FaultName, 8] as const),
];

export function stepsOf(name: FaultName): readonly Fault[] {
  return name in alone ? [alone[name as keyof typeof alone][0]] : together[name as keyof typeof together];
}

function demoteToSlow(context: FaultContext): void {
  const mysqld = context.replica();
  if (mysqld === undefined) return;
  processes.slowReceiver(context, mysqld);
  const { scheduler, random } = context.world;
  scheduler.after(random.between(0, 4_000), () => people.demote(context, mysqld.ordinal));
}
