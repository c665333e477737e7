import type { Machines } from "./machines.ts";
import type { Network } from "./network.ts";
import type { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Story } from "./story.ts";
import { isNothing } from "./gtids.ts";

interface Surroundings {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly network: Network;
  readonly machines: Machines;
  readonly story: Story;
}

/** An agent's clone of another instance into its own: takes a while, may fail, and ends in a restart. */
export function clone(
  world: Surroundings,
  from: string,
  to: string,
  ended: (problem: string | undefined) => void,
): void {
  const { scheduler, random, network, machines, story } = world;
  const recipient = machines.at(to);
  if (recipient === undefined || recipient.frozen) return ended("the agent does not answer");
  const { disk } = recipient;
  if (!isNothing(disk.executed)) return ended("the recipient is not empty");
  if (disk.clone === "In Progress") return ended("another clone is under way");
  disk.clone = "In Progress";
  story.tell(recipient.name, `clones ${from}`);
  scheduler.after(random.between(500, 4000), () => {
    if (!recipient.alive) return ended("mysqld has ended");
    const donor = machines.at(from);
    const isServed = donor && !donor.frozen && !donor.refusing && network.passes(from, to) && network.passes(to, from);
    if (!isServed || recipient.frozen || random.chance(0.1)) {
      disk.clone = "Failed";
      story.tell(recipient.name, "the clone has failed");
      return ended("the clone has failed");
    }
    story.tell(recipient.name, `has the data of ${donor.name}`);
    machines.replaceData(recipient, donor.disk);
    ended(undefined);
  });
}
