/** What happens to mysqld processes, their Pods and disks. */
import type { Mysqld } from "../mysqld.ts";
import { isErrant } from "../rules.ts";
import type { FaultContext } from "./context.ts";

export function kill({ world, victim, tell }: FaultContext, mysqld = victim()): void {
  const { machines, random } = world;
  if (mysqld === undefined) return;
  tell(`${mysqld.name} is killed`);
  machines.kill(mysqld, random.chance(0.3) ? random.between(3000, 15_000) : random.between(200, 3000));
}

export function losePower({ world, victim, tell }: FaultContext): void {
  const mysqld = victim();
  // A replica that does not flush its relay log loses what it has acknowledged: nothing helps against that.
  if (mysqld === undefined || !mysqld.enforced) return;
  tell(`${mysqld.name} loses power`);
  world.machines.losePower(mysqld);
}

export function terminate({ world: { machines }, victim }: FaultContext): void {
  const mysqld = victim();
  if (mysqld) machines.terminate(mysqld, () => machines.revive(mysqld));
}

export function freeze({ world, victim, tell, lasting }: FaultContext, mysqld = victim()): void {
  if (mysqld === undefined || mysqld.frozen) return;
  const milliseconds = world.random.between(500, 20_000);
  tell(`${mysqld.name} freezes for ${milliseconds} ms`);
  mysqld.frozen = true;
  world.disturbed();
  lasting(milliseconds, () => {
    tell(`${mysqld.name} goes on`);
    mysqld.frozen = false;
    world.replication.apply(mysqld);
    world.disturbed();
  });
}

export function deletePod({ world, victim }: FaultContext): void {
  const mysqld = victim();
  if (mysqld) world.machines.deletePod(mysqld.ordinal);
}

export function forceDeletePod({ world, victim }: FaultContext, mysqld = victim()): void {
  if (mysqld) world.machines.forceDeletePod(mysqld.ordinal, world.random.between(0, 15_000));
}

/** At most one, and only if all others have everything: no rule could bear more. */
export function loseDisk(context: FaultContext): void {
  const { world, victim, tell } = context;
  const { machines, random, invariants } = world;
  const mysqld = victim();
  if (mysqld === undefined || machines.lostUuids.size > 0 || !isBearable(context, mysqld)) return;
  tell(`${mysqld.name} loses its disk`);
  machines.loseDisk(mysqld.ordinal);
  if (random.chance(0.5)) machines.forceDeletePod(mysqld.ordinal, random.between(0, 15_000));
  else machines.destroy(mysqld);
  invariants.lessened();
}

function isBearable({ world }: FaultContext, { disk }: Mysqld): boolean {
  const { machines, api, invariants } = world;
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

export function slowApplier({ world, replica, tell, lasting }: FaultContext): void {
  const mysqld = replica();
  if (mysqld === undefined) return;
  const milliseconds = world.random.between(1000, 10_000);
  tell(`${mysqld.name} applies slowly for ${milliseconds} ms`);
  mysqld.applyDelay = world.random.between(200, 2000);
  lasting(milliseconds, () => (mysqld.applyDelay = 0));
}

/** Others have what it does not have yet. */
export function slowReceiver({ world, replica, tell, lasting }: FaultContext, mysqld = replica()): void {
  if (mysqld === undefined) return;
  const milliseconds = world.random.between(1000, 15_000);
  tell(`${mysqld.name} receives slowly for ${milliseconds} ms`);
  mysqld.receiveDelay = world.random.between(300, 5000);
  lasting(milliseconds, () => (mysqld.receiveDelay = 0));
}
