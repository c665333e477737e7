/** What people ask for, and what they should not have done. */
import { covers } from "../gtids.ts";
import type { Session } from "../mysqld.ts";
import type { World } from "../world.ts";
import type { FaultContext } from "./context.ts";

export function demote({ world, tell }: FaultContext, to?: number): void {
  const { api, random } = world;
  const { record, replicas, pods } = api.objects;
  if (pods[record.primaryIndex] === undefined) return;
  tell("somebody asks the primary to step down");
  const demoteTo = to ?? (random.chance(0.5) ? random.between(0, replicas - 1) : undefined);
  api.changePod(record.primaryIndex, { demote: true, demoteTo });
}

export function reclone({ world, replica, tell }: FaultContext): void {
  const mysqld = replica();
  if (mysqld === undefined) return;
  tell(`somebody asks ${mysqld.name} to be cloned again`);
  world.api.changePod(mysqld.ordinal, { reclone: true });
}

export function scale({ world: { api, machines }, tell }: FaultContext): void {
  const { replicas } = api.objects;
  if (replicas >= 5) return;
  tell(`the cluster is to have ${replicas + 2} instances`);
  api.scale(replicas + 2);
  machines.reconcile();
}

/** Not while the only ones that have everything could become errant by it. */
export function writeErrant({ world, replica, tell }: FaultContext): void {
  const mysqld = replica();
  if (mysqld === undefined || mysqld.frozen || mysqld.disk.committed === 0) return;
  if (world.machines.lostUuids.size > 0) return;
  tell(`a superuser writes to ${mysqld.name}`);
  const { superReadOnly } = mysqld;
  mysqld.superReadOnly = false;
  const session: Session = {
    name: "superuser",
    privileged: true,
    killed: false,
    answer: () => mysqld.sessions.delete(session),
  };
  mysqld.sessions.add(session);
  mysqld.write(session, world.nextRow());
  mysqld.superReadOnly = superReadOnly;
}

export function stopReceiver({ world, replica, tell }: FaultContext): void {
  const mysqld = replica();
  if (mysqld === undefined || mysqld.frozen) return;
  tell(`somebody stops the receiver of ${mysqld.name}`);
  world.replication.stopReceiver(mysqld);
}

export function stopApplier({ world, replica, tell, lasting }: FaultContext): void {
  const mysqld = replica();
  if (mysqld === undefined || mysqld.frozen || !mysqld.applying) return;
  const milliseconds = world.random.between(1_000, 20_000);
  tell(`somebody stops the applier of ${mysqld.name} for ${milliseconds} ms`);
  mysqld.applying = false;
  lasting(milliseconds, () => {
    if (!mysqld.alive || mysqld.disk.channel === undefined) return;
    tell(`somebody starts the applier of ${mysqld.name}`);
    world.replication.startApplier(mysqld);
  });
}

/** Of what everybody has: what others lack is kept for as long as people let binary logs be kept. */
export function purge({ world, victim, tell }: FaultContext): void {
  const mysqld = victim();
  if (mysqld === undefined) return;
  const { executed } = mysqld.disk;
  if (!world.machines.allDisks.every(({ lost, received }) => lost || covers(received, executed))) return;
  tell(`${mysqld.name} purges its binary logs`);
  mysqld.disk.purged = [...executed];
}

/** Somebody looks for voters that are lost, and says of which it is sure that they run nowhere any more. */
export function tellEnded({ api, machines, story }: World): void {
  const isRunning = (uuid: string): boolean => machines.processes.some(({ disk }) => disk.uuid === uuid);
  const lost = (api.memory?.voters ?? []).filter((uuid) => machines.lostUuids.has(uuid) && !isRunning(uuid));
  if (lost.length === 0) return;
  story.tell("person", () => `says that ${lost.join(", ")} has ended for sure`);
  api.declareEnded(lost);
}

/** What clients are told from now on is not the operator's fault; but it has to put an end to it. */
export function tamper({ primary, tell }: FaultContext): void {
  const mysqld = primary();
  if (mysqld === undefined || !mysqld.isWritable || mysqld.acknowledgements === 0) return;
  tell(`somebody turns semi-sync off on ${mysqld.name}`);
  mysqld.tampered = true;
  mysqld.requireAcknowledgements(0);
}
