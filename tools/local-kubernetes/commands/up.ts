import { Command } from "commander";
import { up, type UpOptions } from "../cluster/up.ts";
import { nameOption, positiveInteger } from "./options.ts";

export function upCommand(): Command {
  return new Command("up")
    .description("bring a cluster up, or what is missing of it, and wait until its nodes are Ready")
    .addOption(nameOption())
    .option("--nodes <count>", "how many nodes (default: 1, or as many as the cluster has)", positiveInteger)
    .option("--control-plane-only", "API server and controllers on the loopback address; needs no root")
    .option("--audit-log", "log every request to the API server, to the file that `status` names")
    .action(async (options: UpOptions) => {
      const cluster = await up({ ...options, report: (line) => console.error(line) });
      console.error("");
      console.log(`export KUBECONFIG=${cluster.kubeconfigPath}`);
    });
}
