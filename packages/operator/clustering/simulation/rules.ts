/**
 * The rules by which no acknowledged write is lost, as functions over everything that is true at one moment, the hidden
 * included. Each says what is wrong, or nothing. Numbers are those of the rules in docs/simulator.md.
 */
import type { Memory } from "../snapshot.ts";
import type { Disk } from "./disk.ts";
import { covers, isNothing, reservedOrigin, type Counts } from "./gtids.ts";
import type { Mysqld } from "./mysqld.ts";

export interface Receiver {
  readonly replica: Mysqld;
  readonly acknowledges: boolean;
  /** Milliseconds that it has heard its source without a break; 0 while it does not. */
  readonly heardFor: number;
}

export interface Truth {
  readonly memory: Memory | undefined;
  /** All that were ever there. */
  readonly disks: readonly Disk[];
  readonly processes: readonly Mysqld[];
  /** Rows of which clients were told that they are committed, and when. */
  readonly acknowledged: ReadonlyMap<number, number>;
  readonly receivers: (source: Mysqld) => readonly Receiver[];
}

export type Wrong = string | undefined;

/** Rule 2: at most one instance is writable and can acknowledge, and it is the recorded primary. */
export function onlyPrimaryAcknowledges({ memory, processes, receivers }: Truth): Wrong {
  if (memory === undefined) return undefined;
  for (const mysqld of processes) {
    if (mysqld.disk.uuid === memory.primary || !mysqld.isWritable || mysqld.tampered) continue;
    const attached = new Set(
      receivers(mysqld)
        .filter(({ acknowledges }) => acknowledges)
        .map(({ replica }) => replica.disk.serverId),
    );
    if (attached.size >= mysqld.acknowledgements) return `${mysqld.name} is not the primary, but takes writes`;
  }
  return undefined;
}

/** Rule 3: whichever voters a failover may have to do with, one of them has the row. */
export function survivesFailover({ memory, disks }: Truth, row: number): Wrong {
  if (memory === undefined) return undefined;
  const others = disks.filter(({ uuid, lost }) => !lost && uuid !== memory.primary && memory.voters.includes(uuid));
  const lacking = others.filter((disk) => !disk.holds(row));
  if (lacking.length <= memory.voters.length - memory.acknowledgements - 1) return undefined;
  const names = lacking.map(({ uuid }) => uuid.slice(-4)).join(", ") || "nobody";
  return `row ${row} is acknowledged, but ${names} would do for a failover without it`;
}

/** Rules 3 and 6: who takes the writes has every row that a client was promised. */
export function hasEverything({ acknowledged }: Truth, disk: Disk): Wrong {
  const rows = disk.executedRows();
  for (const row of acknowledged.keys())
    if (!rows.has(row)) return `${disk.uuid.slice(-4)} lacks the acknowledged row ${row}`;
  return undefined;
}

/** Rule 3: who is recorded as the primary has received every row that a client was promised. */
export function isNotBehind({ acknowledged, disks }: Truth, uuid: string): Wrong {
  const rows = disks.find((disk) => disk.uuid === uuid)?.rows() ?? new Set();
  for (const row of acknowledged.keys()) if (!rows.has(row)) return `${uuid.slice(-4)} is promoted without row ${row}`;
  return undefined;
}

/** Rule 4: a relay log is deleted only if all of it is executed, here or on the primary. */
export function relayIsNeedless({ memory, disks }: Truth, disk: Disk): Wrong {
  const primary = disks.find(({ uuid }) => uuid === memory?.primary);
  const needed = disk.relay.find(({ origin, number }) => {
    const isIn = (counts: Counts): boolean => (counts[origin] ?? 0) >= number;
    return !isIn(disk.executed) && !(primary && isIn(primary.executed));
  });
  return needed && `${disk.uuid.slice(-4)} loses row ${needed.row} with its relay log`;
}

/** Rule 5: recorded voters contain the real ones. */
export function votersAreRecorded({ memory, processes, receivers }: Truth): Wrong {
  const primary = processes.find(({ disk }) => disk.uuid === memory?.primary);
  if (memory === undefined || primary === undefined || primary.acknowledgements === 0) return undefined;
  const hidden = receivers(primary).find(
    ({ replica, acknowledges }) => acknowledges && !memory.voters.includes(replica.disk.uuid),
  );
  return hidden && `${hidden.replica.name} acknowledges and is no recorded voter`;
}

/** Rule 5: who begins to vote has received what was there when that was decided, a few seconds before it was asked for. */
export function hasCaughtUp({ acknowledged, disks }: Truth, uuid: string, asked: number): Wrong {
  const disk = disks.find((each) => each.uuid === uuid);
  for (const [row, time] of acknowledged) {
    if (time < asked - 8_000 && !disk?.holds(row)) return `${uuid.slice(-4)} is to vote without row ${row}`;
  }
  return undefined;
}

/** Rules 5 and 13: a primary that takes writes waits for as many acknowledgements as are recorded. */
export function waitsAsRecorded({ memory, processes }: Truth): Wrong {
  const primary = processes.find(({ disk }) => disk.uuid === memory?.primary);
  if (memory === undefined || !primary?.isWritable || primary.tampered) return undefined;
  if (primary.acknowledgements >= memory.acknowledgements) return undefined;
  return `${primary.name} waits for ${primary.acknowledgements} acknowledgements, recorded are ${memory.acknowledgements}`;
}

/**
 * Rule 6: a primary is opened only after as many voters as commits wait for have received all that it has. One whose disk is
 * lost between the look at it and the opening counts: nobody could know.
 */
export function isHeldByVoters({ memory, disks }: Truth, { disk }: Mysqld, now: number): Wrong {
  if (memory === undefined) return `${disk.uuid.slice(-4)} is opened without a record`;
  const voters = disks.filter(
    ({ uuid, lostAt = now }) => uuid !== disk.uuid && lostAt > now - 2_000 && memory.voters.includes(uuid),
  );
  const holders = voters.filter(({ received }) => covers(received, disk.executed));
  if (holders.length >= memory.acknowledgements) return undefined;
  return `${disk.uuid.slice(-4)} is opened, but only ${holders.length} of ${memory.acknowledgements} voters have all of it`;
}

/** Rule 6: nobody else has transactions of its own that it would commit once more. */
export function numbersAreFree({ disks }: Truth, { disk }: Mysqld): Wrong {
  const ahead = disks.find(
    (other) => !other.lost && (other.received[disk.origin] ?? 0) > (disk.written[disk.origin] ?? 0),
  );
  return ahead && `${disk.uuid.slice(-4)} is opened, but ${ahead.uuid.slice(-4)} has more of its own transactions`;
}

/** Rule 8: an instance without data is not opened where there ever was any. What is yet to be acknowledged is data, too. */
export function isNotEmpty({ memory, acknowledged }: Truth, { disk }: Mysqld): Wrong {
  const wasWritten = memory?.written || acknowledged.size > 0;
  return wasWritten && isNothing(disk.written) ? `${disk.uuid.slice(-4)} is opened without data` : undefined;
}

/** Rule 9: a primary that takes writes and is heard by its replicas is not given up. */
export function isNotHeard({ memory, processes, receivers }: Truth, known: readonly string[]): Wrong {
  const primary = processes.find(({ disk }) => disk.uuid === memory?.primary);
  if (!primary?.isWritable || primary.frozen || primary.stopping) return undefined;
  const hearing = receivers(primary).find(
    ({ replica, heardFor }) => known.includes(replica.disk.uuid) && !replica.frozen && heardFor > 6_000,
  );
  return hearing && `${primary.name} is given up although ${hearing.replica.name} hears it`;
}

/** Rule 7: whoever is known to have transactions of its own never begins to acknowledge. */
export function isSound(
  { memory, disks }: Truth,
  { disk, ordinal, acknowledges }: Mysqld,
  errant: readonly number[],
): Wrong {
  const primary = disks.find(({ uuid }) => uuid === memory?.primary);
  const isWrong = acknowledges && errant.includes(ordinal) && primary !== undefined && isErrant(disk, primary);
  return isWrong ? `${disk.uuid.slice(-4)} has transactions of its own and is to acknowledge` : undefined;
}

/** Transactions that the primary does not have, and did not commit. */
export function isErrant(disk: Disk, primary: Disk): boolean {
  return disk.received.some(
    (count, origin) =>
      origin !== primary.origin && origin !== reservedOrigin && (count ?? 0) > (primary.written[origin] ?? 0),
  );
}
