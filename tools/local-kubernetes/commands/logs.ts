import { spawn } from "node:child_process";
import { once } from "node:events";
import { Command } from "commander";
import { cluster } from "../cluster/handle.ts";
import { nameOption, positiveInteger } from "./options.ts";

interface LogsOptions {
  name: string;
  follow?: boolean;
  lines: number;
}

export function logsCommand(): Command {
  return new Command("logs")
    .description("show the log of a process of the cluster, such as kube-apiserver or node-1/kubelet")
    .argument("<process>", "its name, as `status` lists it")
    .addOption(nameOption())
    .option("-f, --follow", "go on as the log grows")
    .option("-n, --lines <count>", "how many of the last lines", positiveInteger, 100)
    .action(async (processName: string, { follow, lines, name }: LogsOptions) => {
      const { processes } = await cluster(name);
      const found = processes.get(processName);
      if (found === undefined) {
        throw new Error(`there is no process ${processName}, but ${[...processes.keys()].join(", ")}`);
      }
      // -F and not -f: the file may be replaced.
      const args = ["-n", String(lines), ...(follow ? ["-F"] : []), found.logFile];
      await once(spawn("tail", args, { stdio: "inherit" }), "exit");
    });
}
