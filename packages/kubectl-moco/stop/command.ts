import type { Command } from "commander";
import { addActivities } from "../cluster/activity.ts";
import type { Tools } from "../tools.ts";

export function addStop(program: Command, tools: Tools): void {
  const verb = program
    .command("stop")
    .helpCommand(false)
    .description("Stop a part of the operator's work on a cluster.");
  addActivities(verb, tools, {
    stop: true,
    describe: (activity) =>
      activity === "clustering"
        ? "Leave replication alone: no failover, no switchover, no repair."
        : "Leave the cluster's resources alone: changes of the MySQLCluster have no effect.",
    examples: (activity) => `
Examples:
  kubectl moco stop ${activity} test

  # And to go on:
  kubectl moco start ${activity} test`,
  });
}
