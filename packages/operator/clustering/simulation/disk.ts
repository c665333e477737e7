import { uuidOf, type Counts, type Transaction } from "./gtids.ts";

/** Whom an instance replicates from. */
export interface Channel {
  readonly sourceOrdinal: number;
  /** Has our heartbeat and retries, so that silence is noticed within seconds. */
  readonly attentive: boolean;
  /** Of the last source that was reached. */
  sourceUuid: string | undefined;
}

/** What outlives a mysqld process. */
export class Disk {
  readonly origin: number;
  readonly uuid: string;
  readonly serverId: number;
  /** Since when nobody will ever read it again. */
  lostAt: number | undefined;
  /** In the order of the binary log; the first ones may no longer be in its files. */
  binlog: Transaction[] = [];
  purged: Counts = [];
  /** How many of the binary log's transactions are committed: the others wait for acknowledgements. */
  committed = 0;
  /** In the order in which they were received. */
  relay: Transaction[] = [];
  /** How many of the relay log's transactions have been applied. */
  applied = 0;
  /** How many of the relay log's transactions a power loss would leave. */
  durable = 0;
  channel: Channel | undefined;
  clone: "In Progress" | "Completed" | "Failed" | undefined;

  /** gtid_executed: what is committed. */
  executed: Counts = [];
  /** Everything in the binary log, committed or not. */
  written: Counts = [];
  /** What precedes the relay log's first transactions. */
  relayBase: Counts = [];
  retrieved: Counts = [];
  /** Executed or retrieved. */
  received: Counts = [];

  constructor(origin: number, serverId: number) {
    this.origin = origin;
    this.uuid = uuidOf(origin);
    this.serverId = serverId;
  }

  get lost(): boolean {
    return this.lostAt !== undefined;
  }

  write(transaction: Transaction): number {
    this.binlog.push(transaction);
    this.written[transaction.origin] = transaction.number;
    return this.binlog.length;
  }

  /** Everything up to this position is committed. */
  commit(position: number): void {
    for (; this.committed < position; this.committed++) {
      const { origin, number } = this.binlog[this.committed]!;
      this.executed[origin] = number;
      if ((this.received[origin] ?? 0) < number) this.received[origin] = number;
    }
  }

  receive(transaction: Transaction, isDurable: boolean): void {
    const { origin, number } = transaction;
    this.relay.push(transaction);
    this.relayBase[origin] ??= number - 1;
    this.retrieved[origin] = number;
    this.received[origin] = number;
    if (isDurable) this.durable = this.relay.length;
  }

  /** mysqld has started again: what was in the binary log is committed. */
  recover(): void {
    this.commit(this.binlog.length);
  }

  /** The last part of the relay log was never written to the disk. */
  losePower(): void {
    this.#keepRelay(Math.max(this.durable, this.applied));
  }

  dropRelay(): void {
    this.relay = [];
    this.applied = 0;
    this.durable = 0;
    this.relayBase = [];
    this.retrieved = [];
    this.received = [...this.executed];
  }

  makeEmpty(): void {
    this.binlog = [];
    this.purged = [];
    this.committed = 0;
    this.executed = [];
    this.written = [];
    this.channel = undefined;
    this.dropRelay();
  }

  /** Gets the data of another one, but neither its binary log nor its relay log. */
  copy(donor: Disk): void {
    this.makeEmpty();
    for (const transaction of donor.binlog.slice(0, donor.committed)) this.write(transaction);
    this.recover();
    this.purged = [...this.executed];
    this.channel = donor.channel && { ...donor.channel, sourceUuid: undefined };
  }

  /** Whether `rows` has it. */
  holds(row: number): boolean {
    for (let index = this.relay.length - 1; index >= 0; index--) if (this.relay[index]!.row === row) return true;
    for (let index = this.committed - 1; index >= 0; index--) if (this.binlog[index]!.row === row) return true;
    return false;
  }

  /** Rows that are in its data, or would be once it has applied all that it received. */
  rows(): Set<number> {
    const rows = this.executedRows();
    for (const { row } of this.relay) rows.add(row);
    return rows;
  }

  executedRows(): Set<number> {
    const rows = new Set<number>();
    for (let index = 0; index < this.committed; index++) rows.add(this.binlog[index]!.row);
    return rows;
  }

  #keepRelay(length: number): void {
    if (length >= this.relay.length) return;
    const kept = this.relay.slice(0, length);
    const { applied } = this;
    this.dropRelay();
    for (const transaction of kept) this.receive(transaction, true);
    this.applied = applied;
    for (const [origin, count] of this.executed.entries()) {
      if ((this.received[origin] ?? 0) < (count ?? 0)) this.received[origin] = count;
    }
  }
}
