import type { Command } from "commander";
import { addActivities } from "../cluster/activity.ts";
import type { Tools } from "../tools.ts";

export function addStart(program: Command, tools: Tools): void {
  const verb = program
    .command("start")
    .helpCommand(false)
    .description("Start a part of the operator's work that was stopped.");
  addActivities(verb, tools, {
    stop: false,
    describe: (activity) =>
      activity === "clustering" ? "Look after replication again." : "Look after the cluster's resources again.",
    examples: (activity) => `
Examples:
  kubectl moco start ${activity} test`,
  });
}
