/** All that goes wrong, and all that people ask for. */
import { covers } from "./gtids.ts";
import type { Leadership } from "./leadership.ts";
import type { Mysqld, Session } from "./mysqld.ts";
import type { Way } from "./network.ts";
import { apiName } from "./requests.ts";
import { isErrant } from "./rules.ts";
import type { World } from "./world.ts";

export class Faults {
  readonly #world: World;
  readonly #leadership: Leadership;
  /** What ends the faults that still last. */
  readonly #mending = new Set<() => void>();
  #lostDisks = 0;
  #isOver = false;

  constructor(world: World, leadership: Leadership) {
    this.#world = world;
    this.#leadership = leadership;
  }

  /** Ends everything that still lasts; nothing new begins. */
  calm(): void {
    this.#isOver = true;
    this.#world.story.tell("world", "faults stop");
    for (const mend of this.#mending) mend();
  }

  inject(): void {
    if (this.#isOver) return;
    const { random } = this.#world;
    const fault = random.weighted<() => void>([
      [() => this.#kill(), 10],
      [() => this.#freeze(), 8],
      [() => this.#cutFromPeers(), 8],
      [() => this.#cutFromOperator(), 8],
      [() => this.#cutOff(), 8],
      [() => this.#terminate(), 4],
      [() => this.#deletePod(), 8],
      [() => this.#forceDeletePod(), 8],
      [() => this.#losePower(), 4],
      [() => this.#loseDisk(), 6],
      [() => this.#leadership.crash(), 10],
      [() => this.#leadership.freeze(random.between(500, 25_000)), 6],
      [() => this.#leadership.loseLease(), 4],
      [() => this.#failRequests(), 5],
      [() => this.#touch(), 3],
      [() => this.#stickWatches(), 5],
      [() => this.#writeErrant(), 6],
      [() => this.#demote(), 8],
      [() => this.#reclone(), 3],
      [() => this.#stopReceiver(), 4],
      [() => this.#slowApplier(), 5],
      [() => this.#slowReceiver(), 8],
      [() => this.#slowNetwork(), 4],
      [() => this.#purge(), 3],
      [() => this.#scale(), 3],
      [() => this.#tamper(), 3],
    ]);
    fault();
  }

  /** What is worst together: chance alone would need long to find it. */
  injectTogether(): void {
    if (this.#isOver) return;
    const { random } = this.#world;
    const combination = random.pick<readonly (() => void)[]>([
      // A successor acts while the operator before it sleeps in the middle of something.
      [() => this.#leadership.freeze(random.between(12_000, 25_000)), () => this.#cutOff(this.#primary())],
      [() => this.#leadership.freeze(random.between(12_000, 25_000)), () => this.#demote()],
      // Only one has the last rows, and it is out of reach.
      [() => this.#slowReceiver(), () => this.#cutFromOperator(this.#replica()), () => this.#kill(this.#primary())],
      [() => this.#slowReceiver(), () => this.#freeze(this.#replica()), () => this.#kill(this.#primary())],
      [() => this.#slowReceiver(), () => this.#demote()],
      [() => this.#slowApplier(), () => this.#kill(this.#primary())],
      [() => this.#cutFromPeers(this.#primary()), () => this.#forceDeletePod(this.#primary())],
    ]);
    let delay = 0;
    for (const fault of combination) {
      this.#world.scheduler.after(delay, fault);
      delay += random.between(0, 2_000);
    }
  }

  #primary(): Mysqld | undefined {
    const { machines, api } = this.#world;
    return machines.processes.find(({ disk }) => disk.uuid === api.memory?.primary);
  }

  #victim(): Mysqld | undefined {
    const { machines, random } = this.#world;
    const primary = this.#primary();
    return primary && random.chance(0.6) ? primary : random.pick(machines.processes);
  }

  #replica(): Mysqld | undefined {
    const { machines, random, api } = this.#world;
    const replicas = machines.processes.filter(({ disk }) => disk.uuid !== api.memory?.primary);
    return replicas.length === 0 ? undefined : random.pick(replicas);
  }

  /** Lasts for a while, or until all is to be calm. */
  #lasting(milliseconds: number, end: () => void): void {
    const mend = (): void => {
      if (!this.#mending.delete(mend)) return;
      end();
    };
    this.#mending.add(mend);
    this.#world.scheduler.after(milliseconds, mend);
  }

  #tell(what: string): void {
    this.#world.story.tell("fault", what);
  }

  #kill(mysqld = this.#victim()): void {
    const { machines, random } = this.#world;
    if (mysqld === undefined) return;
    this.#tell(`${mysqld.name} is killed`);
    machines.kill(mysqld, random.chance(0.3) ? random.between(3000, 15_000) : random.between(200, 3000));
  }

  #losePower(): void {
    const mysqld = this.#victim();
    if (mysqld === undefined) return;
    // A replica that does not flush its relay log loses what it has acknowledged: nothing helps against that.
    if (!mysqld.enforced) return;
    this.#tell(`${mysqld.name} loses power`);
    this.#world.machines.losePower(mysqld);
  }

  #terminate(): void {
    const { machines } = this.#world;
    const mysqld = this.#victim();
    if (mysqld === undefined) return;
    machines.terminate(mysqld, () => machines.revive(mysqld));
  }

  #freeze(mysqld = this.#victim()): void {
    const { random } = this.#world;
    if (mysqld === undefined || mysqld.frozen) return;
    const milliseconds = random.between(500, 20_000);
    this.#tell(`${mysqld.name} freezes for ${milliseconds} ms`);
    mysqld.frozen = true;
    this.#world.disturbed();
    this.#lasting(milliseconds, () => {
      this.#tell(`${mysqld.name} goes on`);
      mysqld.frozen = false;
      this.#world.disturbed();
    });
  }

  #cut(what: string, ways: readonly Way[]): void {
    const { network, random } = this.#world;
    const milliseconds = random.between(500, 20_000);
    this.#tell(`${what} for ${milliseconds} ms`);
    network.cut(ways);
    this.#world.disturbed();
    this.#lasting(milliseconds, () => {
      this.#tell(`no longer ${what}`);
      network.mend(ways);
      this.#world.disturbed();
    });
  }

  /** Both ways, or only one of them. */
  #between(one: string, others: readonly string[]): Way[] {
    const direction = this.#world.random.weighted([
      ["both", 6],
      ["in", 2],
      ["out", 2],
    ]);
    return others.flatMap((other): Way[] => [
      ...(direction === "in" ? [] : [[one, other] as const]),
      ...(direction === "out" ? [] : [[other, one] as const]),
    ]);
  }

  #peers(mysqld: Mysqld): string[] {
    return this.#world.machines.processes.map(({ address }) => address).filter((each) => each !== mysqld.address);
  }

  #cutFromPeers(mysqld = this.#victim()): void {
    if (mysqld) this.#cut(`${mysqld.name} is cut from its peers`, this.#between(mysqld.address, this.#peers(mysqld)));
  }

  #cutFromOperator(mysqld = this.#victim()): void {
    const { names } = this.#leadership;
    if (mysqld) this.#cut(`${mysqld.name} is cut from operators`, this.#between(mysqld.address, names));
  }

  /** From everybody but its clients. */
  #cutOff(mysqld = this.#victim()): void {
    if (mysqld === undefined) return;
    const others = [...this.#peers(mysqld), ...this.#leadership.names];
    this.#cut(`${mysqld.name} is cut off`, this.#between(mysqld.address, others));
  }

  #deletePod(): void {
    const mysqld = this.#victim();
    if (mysqld) this.#world.machines.deletePod(mysqld.ordinal);
  }

  #forceDeletePod(mysqld = this.#victim()): void {
    const { machines, random } = this.#world;
    if (mysqld) machines.forceDeletePod(mysqld.ordinal, random.between(0, 15_000));
  }

  /** At most one, and only if all others have everything: no rule could bear more. */
  #loseDisk(): void {
    const { machines, random, invariants } = this.#world;
    const mysqld = this.#victim();
    if (mysqld === undefined || this.#lostDisks > 0 || !this.#isBearable(mysqld)) return;
    this.#lostDisks++;
    this.#tell(`${mysqld.name} loses its disk`);
    machines.loseDisk(mysqld.ordinal);
    if (random.chance(0.5)) machines.forceDeletePod(mysqld.ordinal, random.between(0, 15_000));
    else machines.destroy(mysqld);
    invariants.lessened();
  }

  #isBearable({ disk }: Mysqld): boolean {
    const { machines, api, invariants } = this.#world;
    const { memory } = api;
    const primary = machines.allDisks.find(({ uuid }) => uuid === memory?.primary);
    if (!memory || memory.acknowledgements === 0 || primary === undefined) return false;
    const others = machines.processes.filter((each) => each.disk !== disk);
    const voters = others.filter((each) => memory.voters.includes(each.disk.uuid));
    if (others.some((each) => isErrant(each.disk, primary))) return false;
    if (voters.length < memory.voters.length - memory.acknowledgements) return false;
    const rows = voters.map((each) => each.disk.rows());
    return [...invariants.acknowledged.keys()].every((row) => rows.every((each) => each.has(row)));
  }

  #failRequests(): void {
    const { random } = this.#world;
    const milliseconds = random.between(1000, 10_000);
    this.#tell(`requests to the API server fail for ${milliseconds} ms`);
    this.#world.requestFailures = random.pick([0.1, 0.3, 0.6]);
    this.#lasting(milliseconds, () => (this.#world.requestFailures = 0));
    if (random.chance(0.3)) {
      this.#cut("operators are cut from the API server", this.#between(apiName, this.#leadership.names));
    }
  }

  #touch(): void {
    this.#tell("somebody writes to the cluster's object");
    this.#world.api.touch();
  }

  #stickWatches(): void {
    const milliseconds = this.#world.random.between(1000, 15_000);
    this.#tell(`watches tell nothing for ${milliseconds} ms`);
    this.#world.watchIsStuck = true;
    this.#lasting(milliseconds, () => this.#world.releaseWatches());
  }

  /** Not while the only ones that have everything could become errant by it. */
  #writeErrant(): void {
    const mysqld = this.#replica();
    if (mysqld === undefined || mysqld.frozen || mysqld.disk.committed === 0 || this.#lostDisks > 0) return;
    this.#tell(`a superuser writes to ${mysqld.name}`);
    const { superReadOnly } = mysqld;
    mysqld.superReadOnly = false;
    const session: Session = {
      name: "superuser",
      privileged: true,
      killed: false,
      answer: () => mysqld.sessions.delete(session),
    };
    mysqld.sessions.add(session);
    mysqld.write(session, this.#world.nextRow());
    mysqld.superReadOnly = superReadOnly;
  }

  #demote(): void {
    const { api, random } = this.#world;
    const { record, replicas, pods } = api.objects;
    if (pods[record.primaryIndex] === undefined) return;
    this.#tell("somebody asks the primary to step down");
    const demoteTo = random.chance(0.5) ? random.between(0, replicas - 1) : undefined;
    api.changePod(record.primaryIndex, { demote: true, demoteTo });
  }

  #reclone(): void {
    const mysqld = this.#replica();
    if (mysqld === undefined) return;
    this.#tell(`somebody asks ${mysqld.name} to be cloned again`);
    this.#world.api.changePod(mysqld.ordinal, { reclone: true });
  }

  #stopReceiver(): void {
    const mysqld = this.#replica();
    if (mysqld === undefined || mysqld.frozen) return;
    this.#tell(`somebody stops the receiver of ${mysqld.name}`);
    this.#world.replication.stopReceiver(mysqld);
  }

  #slowApplier(): void {
    const { random } = this.#world;
    const mysqld = this.#replica();
    if (mysqld === undefined) return;
    const milliseconds = random.between(1000, 10_000);
    this.#tell(`${mysqld.name} applies slowly for ${milliseconds} ms`);
    mysqld.applyDelay = random.between(200, 2000);
    this.#lasting(milliseconds, () => (mysqld.applyDelay = 0));
  }

  /** Others have what it does not have yet. */
  #slowReceiver(): void {
    const { random } = this.#world;
    const mysqld = this.#replica();
    if (mysqld === undefined) return;
    const milliseconds = random.between(1000, 15_000);
    this.#tell(`${mysqld.name} receives slowly for ${milliseconds} ms`);
    mysqld.receiveDelay = random.between(300, 5000);
    this.#lasting(milliseconds, () => (mysqld.receiveDelay = 0));
  }

  #slowNetwork(): void {
    const { network, random } = this.#world;
    this.#tell("the network is slow");
    network.slowest = random.pick([30, 150, 400]);
    this.#lasting(random.between(1000, 10_000), () => (network.slowest = 4));
  }

  /** Of what everybody has: what others lack is kept for as long as people let binary logs be kept. */
  #purge(): void {
    const mysqld = this.#victim();
    if (mysqld === undefined) return;
    const { executed } = mysqld.disk;
    if (!this.#world.machines.allDisks.every(({ lost, received }) => lost || covers(received, executed))) return;
    this.#tell(`${mysqld.name} purges its binary logs`);
    mysqld.disk.purged = [...mysqld.disk.executed];
  }

  /** What clients are told from now on is not the operator's fault; but it has to put an end to it. */
  #tamper(): void {
    const primary = this.#primary();
    if (primary === undefined || !primary.isWritable || primary.acknowledgements === 0) return;
    this.#tell(`somebody turns semi-sync off on ${primary.name}`);
    primary.tampered = true;
    primary.requireAcknowledgements(0);
  }

  #scale(): void {
    const { api, machines } = this.#world;
    const { replicas } = api.objects;
    if (replicas >= 5) return;
    this.#tell(`the cluster is to have ${replicas + 2} instances`);
    api.scale(replicas + 2);
    machines.reconcile();
  }
}
