import { annotationKeys, isAnnotated, MySQLClusters } from "@moco-ts/api";
import type { Command } from "commander";
import { printLine } from "../io.ts";
import type { Tools } from "../tools.ts";
import { getCluster } from "./get.ts";

const activities = [
  { name: "clustering", key: annotationKeys.clusteringStopped },
  { name: "reconciliation", key: annotationKeys.reconciliationStopped },
] as const;

type Activity = (typeof activities)[number]["name"];

/** Adds a command for each part of the operator's work that can be stopped and started. */
export function addActivities(
  verb: Command,
  tools: Tools,
  options: {
    readonly stop: boolean;
    readonly describe: (activity: Activity) => string;
    readonly examples: (activity: Activity) => string;
  },
): void {
  for (const { name: activity, key } of activities) {
    verb
      .command(activity)
      .description(options.describe(activity))
      .argument("<cluster>", "name of the MySQLCluster")
      .addHelpText("after", options.examples(activity))
      .action(async (name: string, _flags: object, command: Command) => {
        await printLine(tools.io.stdout, await setStopped(command, tools, { name, activity, key, stop: options.stop }));
      });
  }
}

interface Change {
  readonly name: string;
  readonly activity: Activity;
  readonly key: string;
  readonly stop: boolean;
}

/** What was done, in the words that scripts know. */
function setStopped(command: Command, tools: Tools, change: Change): Promise<string> {
  const { name, activity, key, stop } = change;
  const { signal } = tools;
  return tools.connect(command, async (session) => {
    const { client, namespace } = session;
    const cluster = await getCluster(session, name, signal);
    if (isAnnotated(cluster, key) === stop) return `The ${activity} is already ${stop ? "stopped" : "running"}.`;
    const body = { metadata: { annotations: { [key]: stop ? "true" : null } } };
    await client.patch(MySQLClusters, { namespace, name }, { type: "merge", body }, { signal });
    return `${stop ? "stopped" : "started"} ${activity} of MySQLCluster "${namespace}/${name}"`;
  });
}
