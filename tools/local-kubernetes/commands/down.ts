import { Command } from "commander";
import { clusterNames } from "../cluster/definition.ts";
import { down } from "../cluster/down.ts";
import { nameOption } from "./options.ts";

export function downCommand(): Command {
  return new Command("down")
    .description("remove a cluster and everything that it left on the machine")
    .addOption(nameOption())
    .option("--all", "remove every cluster of this machine")
    .action(async ({ all, name }: { all?: boolean; name: string }) => {
      for (const each of all ? await clusterNames() : [name]) {
        await down(each, { report: (line) => console.error(line) });
      }
    });
}
