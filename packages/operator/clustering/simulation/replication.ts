/** Receivers and appliers: how transactions get from one mysqld to the next, and acknowledgements back. */
import { covers, type Transaction } from "./gtids.ts";
import type { Mysqld } from "./mysqld.ts";
import type { Network } from "./network.ts";
import type { Receiver } from "./rules.ts";
import type { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Story } from "./story.ts";

/** A dump thread on a source and the receiver that it feeds. */
interface Link {
  readonly source: Mysqld;
  readonly replica: Mysqld;
  /** Decided when it was made: acknowledgements are asked for, and given. */
  readonly acknowledges: boolean;
  readonly patience: number;
  /** In the source's binary log: what to send next. */
  position: number;
  isSending: boolean;
  isOpen: boolean;
  /** Since when nothing has come through. */
  brokenSince: number | undefined;
  /** Since when it has worked without a break. */
  steadySince: number;
  /** An acknowledgement that could not get back yet. */
  owed: number;
}

interface Surroundings {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly network: Network;
  readonly story: Story;
  /** Who answers to the name of the instance with this ordinal now. */
  resolve(ordinal: number): Mysqld | undefined;
}

export class Replication {
  readonly #world: Surroundings;
  #links: Link[] = [];
  readonly #lastHeard = new WeakMap<Mysqld, number>();
  /** In vain, since the receiver was started or connected last. */
  readonly #attempts = new WeakMap<Mysqld, number>();
  /** Tells attempts of a receiver that was stopped and started again from those of now. */
  readonly #runs = new WeakMap<Mysqld, number>();
  readonly #applying = new WeakSet<Mysqld>();

  constructor(world: Surroundings) {
    this.#world = world;
  }

  /** Who gets this source's binary log. */
  receivers(source: Mysqld): Receiver[] {
    const { now } = this.#world.scheduler;
    return this.#links
      .filter((link) => link.source === source)
      .map(({ replica, acknowledges, brokenSince, steadySince }) => {
        return { replica, acknowledges, heardFor: brokenSince === undefined ? now - steadySince : 0 };
      });
  }

  /** Milliseconds since this replica heard its source. */
  heardAgo(replica: Mysqld): number | undefined {
    const { now } = this.#world.scheduler;
    const link = this.#links.find((each) => each.replica === replica);
    if (link && link.brokenSince === undefined) return Math.min(1000, now - this.#lastHeard.get(replica)!);
    const last = link?.brokenSince ?? this.#lastHeard.get(replica);
    return last === undefined ? undefined : now - last;
  }

  startReceiver(replica: Mysqld): void {
    if (replica.receiver !== "no") return;
    replica.receiver = "connecting";
    replica.receiveError = undefined;
    this.#attempts.delete(replica);
    const run = (this.#runs.get(replica) ?? 0) + 1;
    this.#runs.set(replica, run);
    this.#connect(replica, run);
  }

  stopReceiver(replica: Mysqld): void {
    replica.receiver = "no";
    this.#runs.set(replica, (this.#runs.get(replica) ?? 0) + 1);
    for (const link of this.#links.filter((each) => each.replica === replica)) this.#close(link);
  }

  /** It is no replica any more, and as one it never was when it is made one again. */
  forget(replica: Mysqld): void {
    this.#lastHeard.delete(replica);
  }

  startApplier(replica: Mysqld): void {
    replica.applying = true;
    this.apply(replica);
  }

  /** There is something new in its binary log. */
  send(source: Mysqld): void {
    for (const link of this.#links) if (link.source === source) this.#pump(link);
  }

  disconnectReplicas(source: Mysqld): void {
    for (const link of this.#links.filter((each) => each.source === source)) this.#lose(link);
  }

  /** The network or a process has changed. */
  recheck(): void {
    for (const link of this.#links) this.#check(link);
  }

  #check(link: Link): void {
    const { source, replica, patience } = link;
    const { scheduler, network } = this.#world;
    if (!link.isOpen) return;
    if (!replica.alive) return this.#close(link);
    const reaches = network.passes(source.address, replica.address);
    if (!source.alive && reaches) return this.#lose(link);
    if (source.alive && !source.frozen && reaches) {
      if (link.brokenSince !== undefined) {
        this.#lastHeard.set(replica, scheduler.now);
        link.steadySince = scheduler.now;
      }
      link.brokenSince = undefined;
      this.#pump(link);
      if (link.owed > 0) this.#settle(link);
      this.apply(replica);
      return;
    }
    if (link.brokenSince !== undefined) return;
    const since = scheduler.now;
    link.brokenSince = since;
    scheduler.after(patience, () => {
      if (link.isOpen && link.brokenSince === since) this.#lose(link);
    });
  }

  /** A connection on which nothing came back for a while may be reset, and what was to come back is lost. */
  #settle(link: Link): void {
    if (!this.#world.network.passes(link.replica.address, link.source.address)) return;
    const { owed } = link;
    link.owed = 0;
    if (this.#world.random.chance(0.5)) this.#acknowledge(link, owed);
    else this.#lose(link);
  }

  /** The receiver notices that it has no source any more, and goes on trying. */
  #lose(link: Link): void {
    if (!link.isOpen) return;
    this.#close(link);
    const { replica } = link;
    if (!replica.alive || replica.receiver === "no") return;
    replica.receiver = "connecting";
    this.#retry(replica, this.#runs.get(replica)!);
  }

  #close(link: Link): void {
    this.#lastHeard.set(link.replica, link.brokenSince ?? this.#world.scheduler.now);
    link.isOpen = false;
    this.#links = this.#links.filter((each) => each !== link);
  }

  #retry(replica: Mysqld, run: number): void {
    const pause = replica.disk.channel?.attentive ? 1000 : 5000;
    const attempt = (this.#attempts.get(replica) ?? 0) + 1;
    this.#attempts.set(replica, attempt);
    replica.receiveError = `This was attempt ${attempt}. Message: Can't connect to MySQL server`;
    this.#world.scheduler.after(pause, () => this.#connect(replica, run));
  }

  #connect(replica: Mysqld, run: number): void {
    const { scheduler, network } = this.#world;
    const isCurrent = (): boolean =>
      replica.alive && this.#runs.get(replica) === run && replica.receiver === "connecting";
    const { channel } = replica.disk;
    if (!isCurrent() || channel === undefined) return;
    const source = this.#world.resolve(channel.sourceOrdinal);
    const answers = source?.alive && !source.frozen && !source.refusing && !source.offlineMode && source !== replica;
    if (!answers || replica.frozen || !this.#isConnected(source, replica)) return this.#retry(replica, run);
    scheduler.after(network.delay(), () => {
      if (!isCurrent()) return;
      if (!source.alive || source.frozen || !this.#isConnected(source, replica)) return this.#retry(replica, run);
      this.#attach(source, replica);
    });
  }

  #isConnected({ address: one }: Mysqld, { address: other }: Mysqld): boolean {
    return this.#world.network.passes(one, other) && this.#world.network.passes(other, one);
  }

  #attach(source: Mysqld, replica: Mysqld): void {
    const { disk } = replica;
    const refusal = refuse(source, replica);
    this.#world.story.tell(replica.name, () =>
      refusal === undefined
        ? `receives from ${source.name}, ${replica.acknowledges ? "acknowledging" : "without acknowledging"}`
        : `can't receive from ${source.name}: ${refusal}`,
    );
    replica.receiveError = refusal;
    if (refusal !== undefined) {
      replica.receiver = "no";
      return;
    }
    // A source throws out the older one of two receivers with the same server_uuid.
    for (const old of this.#links.filter((each) => each.source === source && each.replica.disk.uuid === disk.uuid)) {
      this.#lose(old);
    }
    const { attentive } = disk.channel!;
    disk.channel!.sourceUuid = source.disk.uuid;
    replica.receiver = "yes";
    this.#attempts.delete(replica);
    this.#lastHeard.set(replica, this.#world.scheduler.now);
    const link: Link = {
      source,
      replica,
      acknowledges: replica.acknowledges,
      patience: attentive ? 5_000 : 60_000,
      position: 0,
      isSending: false,
      isOpen: true,
      brokenSince: undefined,
      steadySince: this.#world.scheduler.now,
      owed: 0,
    };
    this.#links.push(link);
    this.#pump(link);
  }

  /** One transaction after the other; what the replica has is passed over. */
  #pump(link: Link): void {
    const { source, replica } = link;
    if (!link.isOpen || link.isSending || !source.alive || source.frozen) return;
    if (!this.#world.network.passes(source.address, replica.address)) return;
    const { binlog } = source.disk;
    while (link.position < binlog.length && has(replica, binlog[link.position]!)) link.position++;
    const transaction = binlog[link.position];
    if (transaction === undefined) return;
    link.isSending = true;
    this.#world.scheduler.after(this.#world.network.delay() + replica.receiveDelay, () => {
      link.isSending = false;
      this.#deliver(link, transaction);
    });
  }

  #deliver(link: Link, transaction: Transaction): void {
    const { source, replica } = link;
    if (!link.isOpen || !replica.alive || replica.frozen) return;
    if (!this.#world.network.passes(source.address, replica.address)) return;
    if (!has(replica, transaction)) {
      replica.disk.receive(transaction, replica.enforced);
      if (link.acknowledges && source.acknowledgements > 0) this.#acknowledge(link, link.position + 1);
      this.apply(replica);
    }
    link.position++;
    this.#pump(link);
  }

  /** What is on its way arrives even if the receiver is stopped meanwhile. */
  #acknowledge(link: Link, position: number): void {
    const { scheduler, network } = this.#world;
    scheduler.after(network.delay(), () => {
      const { source, replica } = link;
      if (source.frozen || !network.passes(replica.address, source.address)) link.owed = position;
      else if (source.alive) source.acknowledge(replica.disk.serverId, position);
    });
  }

  /** Applies the relay log as far as it goes. */
  apply(replica: Mysqld): void {
    const { disk } = replica;
    if (this.#applying.has(replica) || !canApply(replica) || disk.applied >= disk.relay.length) return;
    this.#applying.add(replica);
    this.#world.scheduler.after(replica.applyDelay + this.#world.random.between(0, 2), () => {
      this.#applying.delete(replica);
      const transaction = disk.relay[disk.applied];
      if (!canApply(replica) || transaction === undefined) return;
      if (!isExecuted(replica, transaction) && !replica.owns(transaction)) replica.apply(transaction);
      // Otherwise it waits for an acknowledgement itself, or for a commit with the same GTID: both end in a release.
      if (!isExecuted(replica, transaction)) return;
      disk.applied++;
      this.apply(replica);
    });
  }
}

function canApply({ alive, frozen, applying }: Mysqld): boolean {
  return alive && !frozen && applying;
}

function has({ disk }: Mysqld, { origin, number }: Transaction): boolean {
  return (disk.received[origin] ?? 0) >= number;
}

function isExecuted({ disk }: Mysqld, { origin, number }: Transaction): boolean {
  return (disk.executed[origin] ?? 0) >= number;
}

/** Why a source does not serve a replica, for ever. */
function refuse({ disk: source }: Mysqld, { disk: replica }: Mysqld): string | undefined {
  if (!covers(replica.received, source.purged)) return "the source has purged what the replica needs";
  const own = replica.received[source.origin] ?? 0;
  if (own > (source.written[source.origin] ?? 0)) return "the replica has more of the source's own than the source";
  return undefined;
}
