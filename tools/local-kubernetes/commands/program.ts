import { Command } from "commander";
import { doctorCommand } from "./doctor.ts";
import { downCommand } from "./down.ts";
import { faultCommand } from "./fault.ts";
import { kubectlCommand } from "./kubectl.ts";
import { loadCommand } from "./load.ts";
import { logsCommand } from "./logs.ts";
import { statusCommand } from "./status.ts";
import { upCommand } from "./up.ts";

export function program(): Command {
  return new Command("local-kubernetes")
    .description("A real Kubernetes on this machine: real nodes, real containers, real volumes, and faults on demand.")
    .addHelpText(
      "after",
      `
Example:
  $ local-kubernetes up --nodes 2
  $ local-kubernetes kubectl get nodes
  $ local-kubernetes down

The binaries are kept in \${MOCO_TS_CACHE:-~/.cache/moco-ts}, the clusters in \${MOCO_TS_STATE:-/var/lib/moco-ts}.`,
    )
    .showHelpAfterError()
    .enablePositionalOptions()
    .addCommand(upCommand())
    .addCommand(downCommand())
    .addCommand(statusCommand())
    .addCommand(loadCommand())
    .addCommand(kubectlCommand())
    .addCommand(logsCommand())
    .addCommand(faultCommand())
    .addCommand(doctorCommand());
}
