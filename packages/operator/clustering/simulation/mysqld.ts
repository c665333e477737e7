/**
 * A mysqld process, as far as the safety of data depends on it. What it does here was measured on real ones: above all,
 * which events end the wait for an acknowledgement, and what the client is told then.
 */
import type { Disk } from "./disk.ts";
import { reservedOrigin, type Transaction } from "./gtids.ts";

/** A client's session. */
export interface Session {
  readonly name: string;
  /** Sessions with enough privileges survive offline_mode. */
  readonly privileged: boolean;
  killed: boolean;
  /** The end of its commit; `failed`: what became of it is not known. */
  answer(outcome: "ok" | "failed"): void;
}

interface Commit {
  /** Undefined: the applier's. */
  readonly session: Session | undefined;
  /** In the binary log. */
  readonly position: number;
  readonly since: number;
}

/** A statement that waits for something. */
interface Waiter {
  isDone(): boolean;
  done(outcome: "done" | "gone"): void;
}

/** What others have to know about a process. */
export interface Watcher {
  now(): number;
  /** There is something new in the binary log. */
  written(mysqld: Mysqld): void;
  /** Commits have ended. */
  released(mysqld: Mysqld): void;
  /** Dump threads are thrown out. */
  disconnectReplicas(mysqld: Mysqld): void;
}

/** Version 2 of Pods has a process 1 that ends mysqld without a wrong answer. */
export type PodVersion = 1 | 2;

export class Mysqld {
  readonly disk: Disk;
  readonly ordinal: number;
  readonly address: string;
  readonly version: PodVersion;
  /** The container's id. */
  readonly container: string;
  readonly startedAt: number;
  readonly #watcher: Watcher;

  alive = true;
  frozen = false;
  /** New connections are refused: it is shutting down. */
  refusing = false;
  /** Process 1 is ending it. */
  stopping = false;
  readOnly = true;
  superReadOnly = true;
  offlineMode = false;
  /** A SET super_read_only hangs behind commits. */
  becomingReadOnly = false;
  /** As a source: commits wait for so many acknowledgements; 0 if it does not wait. */
  acknowledgements = 0;
  /** As a replica: from the next connection on. */
  acknowledges = false;
  receiver: "yes" | "no" | "connecting" = "no";
  receiveError: string | undefined;
  applying = false;
  /** Milliseconds that applying one transaction takes, at least, and receiving it. */
  applyDelay = 0;
  receiveDelay = 0;
  enforced: boolean;
  /** Somebody has turned semi-sync off: until it is on again, nothing that it says can be relied on. */
  tampered = false;
  /** Which of an operator's connections may change it. */
  operatorLock: object | undefined;
  readonly sessions = new Set<Session>();
  readonly #waiters = new Set<Waiter>();
  #commits: Commit[] = [];
  #blocked: { session: Session; row: number }[] = [];
  /** By server_id: up to where somebody has acknowledged. */
  readonly #acknowledged = new Map<number, number>();

  constructor(
    disk: Disk,
    place: { ordinal: number; address: string; version: PodVersion; container: string },
    watcher: Watcher,
  ) {
    this.disk = disk;
    this.ordinal = place.ordinal;
    this.address = place.address;
    this.version = place.version;
    this.container = place.container;
    this.enforced = place.version === 2;
    this.#watcher = watcher;
    this.startedAt = watcher.now();
    disk.recover();
  }

  get name(): string {
    return `mysqld-${this.ordinal}.${this.disk.origin}`;
  }

  get isWritable(): boolean {
    return this.alive && !this.superReadOnly && !this.readOnly && !this.offlineMode && !this.refusing;
  }

  get waiting(): number {
    return this.#commits.length;
  }

  get waitingClients(): number {
    return this.#commits.filter(({ session }) => session !== undefined && !session.killed).length;
  }

  /** Since when the oldest commit has been waiting. */
  get waitingSince(): number | undefined {
    return this.#commits[0]?.since;
  }

  /** A client commits a row; it is answered when that is safe. Throws if it may not. */
  write(session: Session, row: number): void {
    // Who comes while it is becoming read-only waits for how that ends.
    if (this.becomingReadOnly) return void this.#blocked.push({ session, row });
    if (this.superReadOnly || (this.readOnly && !session.privileged)) throw new Error("the server is read-only");
    const { disk } = this;
    this.#commit({ origin: disk.origin, number: (disk.written[disk.origin] ?? 0) + 1, row }, session);
  }

  /** An empty transaction that nobody can lack. */
  nudge(session: Session, row: number): void {
    if (this.superReadOnly) throw new Error("the server is read-only");
    this.#commit({ origin: reservedOrigin, number: (this.disk.written[reservedOrigin] ?? 0) + 1, row }, session);
  }

  /** The applier commits what another server committed first. */
  apply(transaction: Transaction): void {
    this.#commit(transaction, undefined);
  }

  /** A commit of this transaction is under way. */
  owns({ origin, number }: Transaction): boolean {
    return (this.disk.written[origin] ?? 0) >= number && (this.disk.executed[origin] ?? 0) < number;
  }

  #commit(transaction: Transaction, session: Session | undefined): void {
    const position = this.disk.write(transaction);
    this.#commits.push({ session, position, since: this.#watcher.now() });
    this.#watcher.written(this);
    this.#release();
  }

  /** Counted by server_id, for this position and all before it. It counts although the replica has left since. */
  acknowledge(serverId: number, position: number): void {
    if (this.acknowledgements === 0) return;
    if ((this.#acknowledged.get(serverId) ?? 0) >= position) return;
    this.#acknowledged.set(serverId, position);
    this.#release();
  }

  /** What waits for more than is asked for now is answered, rightly or not. */
  requireAcknowledgements(count: number): void {
    if (count === 0) this.#acknowledged.clear();
    else this.tampered = false;
    this.acknowledgements = count;
    this.#release();
  }

  /** The flag is up at once; true if nothing had to be waited for. */
  becomeReadOnly(): boolean {
    this.superReadOnly = true;
    this.becomingReadOnly = true;
    this.#finishReadOnly();
    return this.readOnly;
  }

  /** Whoever still waits to make it read-only is killed before. */
  open(): void {
    this.becomingReadOnly = false;
    this.superReadOnly = false;
    this.readOnly = false;
    for (const { session, row } of this.#takeBlocked()) this.write(session, row);
  }

  #takeBlocked(): { session: Session; row: number }[] {
    const blocked = this.#blocked.filter(({ session }) => !session.killed);
    this.#blocked = [];
    return blocked;
  }

  /** Calls back as soon as it is so, or when the process is gone. The returned function ends the wait. */
  waitFor(waiter: Waiter): () => void {
    if (waiter.isDone()) waiter.done("done");
    else this.#waiters.add(waiter);
    return () => this.#waiters.delete(waiter);
  }

  /** Clients get an error; those who are in a commit leave a thread behind that waits on. */
  killClients(which: (session: Session) => boolean = () => true): void {
    for (const session of [...this.sessions].filter(which)) {
      this.sessions.delete(session);
      session.killed = true;
      session.answer("failed");
    }
  }

  enterOfflineMode(): void {
    this.offlineMode = true;
    this.killClients((session) => !session.privileged);
    this.#watcher.disconnectReplicas(this);
  }

  /** SIGTERM gives up every wait, and says OK to whoever is still there. */
  shutDown(): void {
    this.refusing = true;
    this.#releaseUpTo(this.disk.binlog.length);
  }

  /** The process is gone. What was not answered never will be. */
  end(): void {
    this.alive = false;
    this.killClients();
    this.#commits = [];
    this.#wake("gone");
  }

  #release(): void {
    let position = 0;
    for (const commit of this.#commits) {
      if (!this.#isAcknowledged(commit.position)) break;
      position = commit.position;
    }
    this.#releaseUpTo(position);
  }

  #isAcknowledged(position: number): boolean {
    if (this.acknowledgements === 0) return true;
    let count = 0;
    for (const acknowledged of this.#acknowledged.values()) if (acknowledged >= position) count++;
    return count >= this.acknowledgements;
  }

  #releaseUpTo(position: number): void {
    const released = this.#commits.filter((commit) => commit.position <= position);
    if (released.length === 0) return;
    this.#commits = this.#commits.filter((commit) => commit.position > position);
    this.disk.commit(position);
    for (const { session } of released) if (session && !session.killed) session.answer("ok");
    this.#finishReadOnly();
    this.#wake("done");
    this.#watcher.released(this);
  }

  #wake(outcome: "done" | "gone"): void {
    for (const waiter of this.#waiters) {
      if (outcome === "done" && !waiter.isDone()) continue;
      this.#waiters.delete(waiter);
      waiter.done(outcome);
    }
  }

  #finishReadOnly(): void {
    if (!this.becomingReadOnly || this.#commits.length > 0) return;
    this.becomingReadOnly = false;
    this.readOnly = true;
    for (const { session } of this.#takeBlocked()) session.answer("failed");
  }
}
