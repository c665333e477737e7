/** `make demo`: from nothing to mysqld on a real Kubernetes node, told step by step. */
import { Command } from "commander";
import { describeError } from "@moco-ts/base";
import { connect, createPodStreams, loadKubeconfig } from "@moco-ts/kube";
import { buildImages, down, loadImages, up } from "@moco-ts/local-kubernetes";
import { mysqlImage } from "./manifests.ts";
import { Narrator } from "./narrator.ts";
import { tellStory } from "./story.ts";

const name = "demo";
const { keep } = new Command("demo")
  .description("bring up a local Kubernetes node, run mysqld on an expandable volume, and grow the volume under it")
  .option("--keep", "leave the cluster up at the end")
  .parse()
  .opts<{ keep?: boolean }>();

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    console.log("\nInterrupted: cleaning up (once more to stop at once).");
    interrupted.abort(new Error("interrupted"));
  });
}

const narrator = new Narrator();
const report = (line: string): void => narrator.say(line);

async function demo(signal: AbortSignal): Promise<void> {
  const cluster = await narrator.step("A Kubernetes node on this machine", () => up({ name, report }));
  signal.throwIfAborted();
  await narrator.step("An image with mysqld, loaded into the node", async () => {
    await buildImages({ names: ["mysql"], report, signal });
    await loadImages(cluster.nodes, [mysqlImage], { report, signal });
  });
  const config = await loadKubeconfig({ environment: {}, path: cluster.kubeconfigPath });
  const [client, streams] = [connect(config), createPodStreams(config)];
  try {
    await tellStory({ client, streams, narrator, signal });
  } finally {
    await Promise.all([client.close(), streams.close()]);
  }
  narrator.end(
    keep
      ? [
          "The cluster is still up. To go on by yourself:",
          `  export KUBECONFIG=${cluster.kubeconfigPath} PATH=$PWD/node_modules/.bin:$PATH`,
          "  node tools/local-kubernetes/main.ts kubectl --name demo get pods,pvc",
          "  node tools/local-kubernetes/main.ts down --name demo",
        ]
      : ["`make demo KEEP=1` leaves the cluster up, to go on by yourself."],
  );
}

try {
  await demo(interrupted.signal);
} catch (error) {
  console.error(`demo: ${describeError(error)}`);
  process.exitCode = 1;
} finally {
  if (!keep || interrupted.signal.aborted) {
    console.log("\nTaking the cluster down.");
    await down(name, { report });
  }
}
