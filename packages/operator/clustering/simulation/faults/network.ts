/** What happens to the network, both ways or only one. */
import type { Mysqld } from "../mysqld.ts";
import type { Way } from "../network.ts";
import { apiName } from "../requests.ts";
import type { FaultContext } from "./context.ts";

export function cutFromPeers(context: FaultContext, mysqld = context.victim()): void {
  if (mysqld)
    cut(context, `${mysqld.name} is cut from its peers`, between(context, mysqld.address, peers(context, mysqld)));
}

export function cutFromOperators(context: FaultContext, mysqld = context.victim()): void {
  const { names } = context.leadership;
  if (mysqld) cut(context, `${mysqld.name} is cut from operators`, between(context, mysqld.address, names));
}

/** From everybody but its clients. */
export function cutOff(context: FaultContext, mysqld = context.victim(), milliseconds?: number): void {
  if (mysqld === undefined) return;
  const others = [...peers(context, mysqld), ...context.leadership.names];
  cut(context, `${mysqld.name} is cut off`, between(context, mysqld.address, others), milliseconds);
}

export function cutOperatorsFromApi(context: FaultContext): void {
  cut(context, "operators are cut from the API server", between(context, apiName, context.leadership.names));
}

/** What it sends arrives when another one leads. */
export function cutLeaderFromApi(context: FaultContext): void {
  const { leader } = context.leadership;
  if (leader === undefined) return;
  const { name } = leader.process;
  const milliseconds = context.world.random.between(13_000, 25_000);
  cut(
    context,
    `${name} is cut from the API server`,
    [[name, apiName] as const, [apiName, name] as const],
    milliseconds,
  );
  // It can't renew its lease.
  context.world.scheduler.after(10_000, () => {
    if (context.leadership.leader === leader) context.leadership.loseLease();
  });
}

export function slowNetwork({ world: { network, random }, tell, lasting }: FaultContext): void {
  tell("the network is slow");
  network.slowest = random.pick([30, 150, 400]);
  lasting(random.between(1000, 10_000), () => (network.slowest = 4));
}

function cut(
  { world, tell, lasting }: FaultContext,
  what: string,
  ways: readonly Way[],
  milliseconds = world.random.between(500, 20_000),
): void {
  tell(`${what} for ${milliseconds} ms`);
  world.network.cut(ways);
  world.disturbed();
  lasting(milliseconds, () => {
    tell(`no longer ${what}`);
    world.network.mend(ways);
    world.disturbed();
  });
}

function between({ world }: FaultContext, one: string, others: readonly string[]): Way[] {
  const direction = world.random.weighted([
    ["both", 6],
    ["in", 2],
    ["out", 2],
  ]);
  return others.flatMap((other): Way[] => [
    ...(direction === "in" ? [] : [[one, other] as const]),
    ...(direction === "out" ? [] : [[other, one] as const]),
  ]);
}

function peers({ world }: FaultContext, { address }: Mysqld): string[] {
  return world.machines.processes.map((each) => each.address).filter((each) => each !== address);
}
