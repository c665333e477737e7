import { expect, it } from "vitest";
import { GtidSets } from "./gtids.ts";
import { OperatorProcess } from "./operator-process.ts";
import { begin } from "./scenario.ts";
import { Wire } from "./wire.ts";
import { World } from "./world.ts";

async function advance(world: World, milliseconds: number): Promise<void> {
  const end = world.scheduler.now + milliseconds;
  world.scheduler.after(milliseconds, () => undefined);
  while (world.scheduler.now < end && world.scheduler.step()) await new Promise((resolve) => setImmediate(resolve));
}

function cluster() {
  const world = new World({ seed: 1, replicas: 1, version: 2, gtids: new GtidSets(), isTold: false });
  begin(world, { replicas: 1, start: "running" });
  const [mysqld] = world.machines.processes;
  const operator = (name: string) => {
    const process = new OperatorProcess(name, world.scheduler, world.story, () => undefined);
    const wire = new Wire(world, process);
    const change = (execute: () => void): Promise<string> =>
      wire
        .change<void>(mysqld!.address, mysqld!.disk.uuid, { deadline: 5_000, signal: process.signal }, (_, reply) => {
          execute();
          reply.answer();
        })
        .then(
          () => "done",
          (error: Error) => error.message,
        );
    return { process, change };
  };
  return { world, mysqld: mysqld!, operator };
}

it("lets nothing through of an operator whose lock another one has taken", async () => {
  const { world, operator } = cluster();
  const [old, successor] = [operator("old"), operator("successor")];
  const done: string[] = [];
  void old.change(() => done.push("old"));
  await advance(world, 100);
  const taken = successor.change(() => done.push("successor"));
  await advance(world, 100);
  const afterwards = old.change(() => done.push("old, after all"));
  await advance(world, 100);
  expect([await taken, await afterwards]).toEqual(["done", "the connection was closed"]);
  expect(done).toEqual(["old", "successor"]);
});

it("carries out what was sent although its sender has given up", async () => {
  const { world, mysqld, operator } = cluster();
  const { change } = operator("operator");
  let count = 0;
  const first = change(() => count++);
  await advance(world, 100);
  expect(await first).toBe("done");
  mysqld.frozen = true;
  const second = change(() => count++);
  await advance(world, 6_000);
  expect(await second).toContain("took longer than 5000 ms");
  expect(count).toBe(1);
  mysqld.frozen = false;
  world.disturbed();
  await advance(world, 100);
  expect(count).toBe(2);
});
