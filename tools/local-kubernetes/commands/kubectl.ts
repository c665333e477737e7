import { spawn } from "node:child_process";
import { once } from "node:events";
import { Command } from "commander";
import { cluster } from "../cluster/handle.ts";
import { nameOption } from "./options.ts";

export function kubectlCommand(): Command {
  return new Command("kubectl")
    .description("run kubectl on a cluster")
    .usage("[--name <name>] <kubectl arguments>")
    .addOption(nameOption())
    .argument("[arguments...]")
    .passThroughOptions()
    .allowUnknownOption()
    .action(async (args: string[], { name }: { name: string }) => {
      const { kubeconfigPath, kubectlPath } = await cluster(name);
      const child = spawn(kubectlPath, args, {
        stdio: "inherit",
        env: { ...process.env, KUBECONFIG: kubeconfigPath },
      });
      const [code] = (await once(child, "exit")) as [number | null];
      process.exitCode = code ?? 1;
    });
}
