import { collectView, type ClusterView } from "@moco-ts/view";
import type { Command } from "commander";
import { stringify } from "yaml";
import { getCluster } from "../cluster/get.ts";
import { usageError } from "../failure.ts";
import { print } from "../io.ts";
import type { Tools } from "../tools.ts";
import { renderView } from "./render/render.ts";
import { coloured, plain } from "./render/style.ts";
import { watchStatus } from "./watch.ts";

interface Flags {
  readonly watch?: boolean;
  readonly output?: string;
}

export function addStatus(program: Command, tools: Tools): void {
  program
    .command("status")
    .description("Show how a cluster is: instances, replication, rollout, volumes, events.")
    .argument("<cluster>", "name of the MySQLCluster")
    .option("-w, --watch", "go on showing it as it changes, until Ctrl-C")
    .option("-o, --output <format>", "json or yaml, for programs")
    .addHelpText("after", examples)
    .action(async (name: string, flags: Flags, command: Command) => {
      const format = formatOf(flags, tools.colours);
      await tools.connect(command, async (session) => {
        const { metadata } = await getCluster(session, name, tools.signal);
        const options = { ...session, clock: tools.clock };
        if (flags.watch)
          return watchStatus(metadata, options, tools, { format, isPicture: flags.output === undefined });
        return print(tools.io.stdout, format(await collectView(metadata, options, tools.signal)));
      });
    });
}

const examples = `
GTID GAP is the number of the primary's transactions that an instance lacks, and after + of those that only it has.
mysqld is asked by running the mysql client in its container, which needs the right to create pods/exec.

Examples:
  # A picture of the cluster
  kubectl moco status test

  # The same, live
  kubectl moco status test -w

  # The largest gap, for a script
  kubectl moco status test -o json | jq '[.instances[]?.gap // 0] | max'`;

/** A view as text, with a line break at its end. */
export type Format = (view: ClusterView) => string;

function formatOf({ output, watch }: Flags, colours: boolean): Format {
  switch (output) {
    case undefined:
      return (view) => renderView(view, colours ? coloured : plain);
    case "json":
      // Of several, each on a line of its own, so that they can be told apart.
      return (view) => `${JSON.stringify(view, null, watch ? undefined : 2)}\n`;
    case "yaml":
      return (view) => `${watch ? "---\n" : ""}${stringify(view)}`;
    default:
      throw usageError(`unknown output: ${output}`, "It is json or yaml.");
  }
}
