import { collectView } from "@moco-ts/view";
import type { Command } from "commander";
import { getCluster } from "../cluster/get.ts";
import { print } from "../io.ts";
import type { Tools } from "../tools.ts";

interface Flags {
  readonly watch?: boolean;
  readonly output?: string;
}

export function addStatus(program: Command, tools: Tools): void {
  program
    .command("status")
    .description("Show how a cluster is: instances, replication, rollout, volumes, events.")
    .argument("<cluster>", "name of the MySQLCluster")
    .option("-w, --watch", "go on showing it as it changes")
    .option("-o, --output <format>", "json or yaml")
    .action(async (name: string, flags: Flags, command: Command) => {
      await tools.connect(command, async (session) => {
        const { metadata } = await getCluster(session, name, tools.signal);
        const view = await collectView(metadata, { ...session, clock: tools.clock }, tools.signal);
        await print(tools.io.stdout, `${JSON.stringify(view, null, 2)}\n`);
      });
    });
}
