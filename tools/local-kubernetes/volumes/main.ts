/** The provisioner of local volumes as a program. `local-kubernetes up` starts it. */
import { createLogger } from "@moco-ts/base";
import { connect, loadKubeconfig, runProgram } from "@moco-ts/kube";
import { Command } from "commander";
import { runProvisioner } from "./provisioner.ts";

const { kubeconfig, stateDir } = new Command("volumes")
  .description("Provides volumes of the classes local-xfs, local-xfs-offline and local-xfs-fixed")
  .requiredOption("--kubeconfig <file>", "how to reach the cluster")
  .requiredOption("--state-dir <directory>", "where disks are kept")
  .parse()
  .opts<{ kubeconfig: string; stateDir: string }>();

const logger = createLogger({ fields: { logger: "volumes" } });
const client = connect(await loadKubeconfig({ environment: {}, path: kubeconfig }), { userAgent: "local-kubernetes" });
await runProgram(process, logger, async (signal) => {
  await runProvisioner({ client, directory: stateDir, logger }, signal);
  await client.close();
});
