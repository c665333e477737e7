/** `make demo`: from nothing to a MySQLCluster that survives failures, updates and full disks, told step by step. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { describeError } from "@moco-ts/base";
import { prepareCli } from "@moco-ts/bundle";
import { connect, createPodStreams, loadKubeconfig } from "@moco-ts/kube";
import { Narrator } from "./narrator.ts";
import { existingPlace, localPlace, type Place } from "./place.ts";
import { tellStory } from "./story.ts";

const { keep, existing, images, mysql } = new Command("demo")
  .description("run a MySQLCluster on a local Kubernetes node, fail its primary, update it, grow its volumes")
  .option("--keep", "leave everything up at the end")
  .option("--existing", "use the cluster that KUBECONFIG names, instead of a local node")
  .option("--images <registry>", "with --existing: where this project's images are, such as registry.example.com/moco")
  .option("--mysql <image>", "with --existing: an image with mysqld, its client and a shell", "mysql:9.7")
  .parse()
  .opts<{ keep?: boolean; existing?: boolean; images?: string; mysql: string }>();

const kubeconfig = process.env["KUBECONFIG"];
if (existing && !(kubeconfig && images)) {
  console.error(
    "demo: --existing needs KUBECONFIG to name the cluster's file, and --images to say where its nodes find",
  );
  console.error("      the images of this project (`make images` builds them; push them to a registry of yours)");
  process.exit(2);
}
if (kubeconfig && !existing) {
  console.log(
    "KUBECONFIG is set: `make demo EXISTING=1 IMAGES=registry.example.com/moco` would use that cluster instead.",
  );
}

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    console.log("\nInterrupted: cleaning up (once more to stop at once).");
    interrupted.abort(new Error("interrupted"));
  });
}

const narrator = new Narrator();
const folder = await mkdtemp(join(tmpdir(), "moco-ts-demo-"));

async function play(place: Place, signal: AbortSignal): Promise<void> {
  const plugin = join(folder, "kubectl-moco");
  await prepareCli(plugin);
  const config = await loadKubeconfig({ environment: {}, path: place.kubeconfigPath });
  const [client, streams] = [connect(config), createPodStreams(config)];
  try {
    await tellStory({ ...place, client, streams, narrator, plugin, signal });
  } finally {
    await Promise.all([client.close(), streams.close()]);
  }
  narrator.end(
    keep
      ? ["Everything is still up. To go on by yourself, and to clean up:", ...place.hints]
      : ["`make demo KEEP=1` leaves everything up, to go on by yourself."],
  );
}

let place: Place | undefined;
try {
  const { signal } = interrupted;
  place =
    existing && kubeconfig && images
      ? await existingPlace({ kubeconfigPath: kubeconfig, images, mysql, narrator, signal })
      : await localPlace(narrator, signal);
  await play(place, signal);
} catch (error) {
  console.error(`demo: ${describeError(error)}`);
  process.exitCode = 1;
} finally {
  if (!keep || interrupted.signal.aborted) await place?.leave();
  await rm(folder, { recursive: true });
}
