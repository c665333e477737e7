/** `make demo`: from nothing to mysqld on a real Kubernetes node, told step by step. */
import { Command } from "commander";
import { describeError } from "@moco-ts/base";
import { connect, createPodStreams, loadKubeconfig } from "@moco-ts/kube";
import { Narrator } from "./narrator.ts";
import { existingPlace, localPlace, type Place } from "./place.ts";
import { tellStory } from "./story.ts";

const { keep, existing, image } = new Command("demo")
  .description("run mysqld on an expandable volume in a local Kubernetes node, and grow the volume under it")
  .option("--keep", "leave everything up at the end")
  .option("--existing", "use the cluster that KUBECONFIG names, in a namespace of its own, instead of a local node")
  .option("--image <image>", "with --existing: an image with mysqld and a shell", "mysql:9.7")
  .parse()
  .opts<{ keep?: boolean; existing?: boolean; image: string }>();

const kubeconfig = process.env["KUBECONFIG"];
if (existing && !kubeconfig) {
  console.error("demo: --existing needs KUBECONFIG to name the cluster's file");
  process.exit(2);
}
if (kubeconfig && !existing) console.log("KUBECONFIG is set: `make demo EXISTING=1` would use that cluster instead.");

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    console.log("\nInterrupted: cleaning up (once more to stop at once).");
    interrupted.abort(new Error("interrupted"));
  });
}

const narrator = new Narrator();

async function play({ kubeconfigPath, namespace, image, hints }: Place, signal: AbortSignal): Promise<void> {
  const config = await loadKubeconfig({ environment: {}, path: kubeconfigPath });
  const [client, streams] = [connect(config), createPodStreams(config)];
  try {
    await tellStory({ client, streams, narrator, namespace, image, signal });
  } finally {
    await Promise.all([client.close(), streams.close()]);
  }
  narrator.end(
    keep
      ? ["Everything is still up. To go on by yourself, and to clean up:", ...hints]
      : ["`make demo KEEP=1` leaves everything up, to go on by yourself."],
  );
}

let place: Place | undefined;
try {
  const { signal } = interrupted;
  place =
    existing && kubeconfig
      ? await existingPlace(kubeconfig, image, narrator, signal)
      : await localPlace(narrator, signal);
  await play(place, signal);
} catch (error) {
  console.error(`demo: ${describeError(error)}`);
  process.exitCode = 1;
} finally {
  if (!keep || interrupted.signal.aborted) await place?.leave();
}
