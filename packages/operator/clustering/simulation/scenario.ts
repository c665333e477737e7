import type { Mysqld, PodVersion } from "./mysqld.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** How a story begins and how much happens in it. */
export interface Scenario {
  readonly replicas: number;
  readonly version: PodVersion;
  /** `running`: everything is well and recorded. `adopted`: it runs, but nothing is recorded. */
  readonly start: "new" | "running" | "adopted";
  readonly clients: number;
  /** Clients wait for an answer, however long it takes. */
  readonly patient: boolean;
  readonly faults: number;
  /** Milliseconds in which faults happen. */
  readonly storm: number;
  /** When all is well again, the primary is cut off from its replicas, and stays so. */
  readonly isolation: boolean;
}

export function drawScenario(random: Random): Scenario {
  const start = random.weighted([
    ["running", 70],
    ["new", 20],
    ["adopted", 10],
  ] as const);
  return {
    replicas: random.weighted([
      [1, 6],
      [3, 74],
      [5, 20],
    ]),
    version: start === "adopted" || random.chance(0.15) ? 1 : 2,
    start,
    clients: random.between(1, 3),
    patient: random.chance(0.3),
    faults: random.chance(0.1) ? 0 : random.between(1, 7),
    storm: random.between(5_000, 30_000),
    isolation: random.chance(0.2),
  };
}

/** Puts everything where the scenario has it. */
export function begin(world: World, { replicas, start }: Pick<Scenario, "replicas" | "start">): void {
  const { api, machines } = world;
  if (start === "new") return machines.reconcile();
  const mysqlds = Array.from({ length: replicas }, (_, ordinal) => machines.place(ordinal));
  const [primary, ...others] = mysqlds as [Mysqld, ...Mysqld[]];
  const acknowledgements = Math.floor(replicas / 2);
  for (const mysqld of mysqlds) {
    for (let number = 1; number <= 3; number++) {
      mysqld.disk.write({ origin: primary.disk.origin, number, row: -number - 1 });
    }
    mysqld.disk.recover();
  }
  for (const mysqld of others) {
    mysqld.disk.channel = { sourceOrdinal: 0, attentive: start === "running", sourceUuid: undefined };
    mysqld.acknowledges = true;
    world.replication.startReceiver(mysqld);
    world.replication.startApplier(mysqld);
    api.changePod(mysqld.ordinal, { role: "replica", ready: true });
  }
  primary.requireAcknowledgements(acknowledgements);
  primary.open();
  api.changePod(0, { role: "primary", ready: true });
  if (start === "adopted") return;
  const uuids = mysqlds.map(({ disk }) => disk.uuid).sort();
  const memory = {
    primary: primary.disk.uuid,
    primaryAddress: primary.address,
    voters: uuids,
    acknowledgements,
    primaries: [primary.disk.uuid],
    deposed: [],
    written: true,
  };
  api.writeRecord(api.objects.record.version, { primaryIndex: 0, memory }, 0);
}
