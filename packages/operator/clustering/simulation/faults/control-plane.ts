/** What happens to operators and to the API server. */
import type { FaultContext } from "./context.ts";
import { cutOperatorsFromApi } from "./network.ts";

export function crashOperator({ leadership }: FaultContext): void {
  leadership.crash();
}

export function loseLease({ leadership }: FaultContext): void {
  leadership.loseLease();
}

export function freezeOperator({ world, leadership }: FaultContext, least = 500): void {
  leadership.freeze(world.random.between(least, 25_000));
}

export function failRequests(context: FaultContext): void {
  const { world, tell, lasting } = context;
  const { random } = world;
  const milliseconds = random.between(1000, 10_000);
  tell(`requests to the API server fail for ${milliseconds} ms`);
  world.requestFailures = random.pick([0.1, 0.3, 0.6]);
  lasting(milliseconds, () => (world.requestFailures = 0));
  if (random.chance(0.3)) cutOperatorsFromApi(context);
}

/** They are carried out when that is over, whether or not somebody still waits for them. */
export function hangWrites(
  { world, tell, lasting }: FaultContext,
  milliseconds = world.random.between(500, 8_000),
): void {
  tell(`writes to the API server hang for ${milliseconds} ms`);
  world.writesHang = true;
  lasting(milliseconds, () => {
    world.writesHang = false;
    world.disturbed();
  });
}

export function touchCluster({ world, tell }: FaultContext): void {
  tell("somebody writes to the cluster's object");
  world.api.touch();
}

export function stickWatches({ world, tell, lasting }: FaultContext): void {
  const milliseconds = world.random.between(1000, 15_000);
  tell(`watches tell nothing for ${milliseconds} ms`);
  world.watchIsStuck = true;
  lasting(milliseconds, () => world.releaseWatches());
}
