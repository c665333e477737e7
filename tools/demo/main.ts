/** `make demo`: from nothing to a MySQLCluster that survives failures, updates and full disks, told step by step. */
import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { describeError } from "@moco-ts/base";
import { prepareCli } from "@moco-ts/bundle";
import { connect, createPodStreams, loadKubeconfig } from "@moco-ts/kube";
import { chooseExisting, UsageError } from "./choice.ts";
import { existingPlace } from "./existing-place.ts";
import { localPlace } from "./local-place.ts";
import { Narrator } from "./narrator.ts";
import type { Place } from "./place.ts";
import { tellStory } from "./story.ts";

interface Flags {
  readonly keep: boolean;
  readonly name: string;
  readonly existing: boolean;
  readonly images?: string;
  readonly mysql: string;
}

const flags = new Command("demo")
  .description("run a MySQLCluster on a local Kubernetes node, fail its primary, update it, grow its volumes")
  .option("--keep", "leave everything up at the end", false)
  .option("--name <name>", "of the local cluster", "demo")
  .option("--existing", "use the cluster that KUBECONFIG names, instead of a local node", false)
  .option(
    "--images <registry>",
    "of an existing cluster: where this project's images are, such as registry.example.com/moco",
  )
  .option("--mysql <image>", "of an existing cluster: an image with mysqld, its client and a shell", "mysql:9.7")
  .parse()
  .opts<Flags>();

const narrator = new Narrator();
const interrupted = new AbortController();
const { signal } = interrupted;

function interrupt(name: "SIGINT" | "SIGTERM"): void {
  narrator.print("\nInterrupted: cleaning up (once more to stop at once).");
  process.exitCode = 128 + constants.signals[name];
  interrupted.abort(new Error("interrupted"));
}
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => interrupt(name));

async function choosePlace(): Promise<Place> {
  const choice = await chooseExisting({
    ...flags,
    images: flags.images,
    kubeconfigPath: process.env["KUBECONFIG"],
    signal,
    interrupt: () => interrupt("SIGINT"),
  });
  if (choice) return existingPlace({ ...choice, mysql: flags.mysql, narrator, signal });
  return localPlace({ name: flags.name, narrator, signal });
}

async function play(place: Place, folder: string): Promise<void> {
  const plugin = join(folder, "kubectl-moco");
  await prepareCli(plugin);
  const environment = { ...process.env, KUBECONFIG: place.kubeconfigPath };
  const config = await loadKubeconfig({ environment });
  const [client, streams] = [connect(config), createPodStreams(config)];
  try {
    await tellStory({ ...place, client, streams, narrator, plugin, signal });
  } finally {
    await Promise.all([client.close(), streams.close()]);
  }
}

async function leave(place: Place): Promise<void> {
  try {
    await place.leave();
  } catch (error) {
    console.error(`demo: not all could be removed: ${describeError(error)}`);
    for (const line of place.hints) console.error(line);
    process.exitCode = 1;
  }
}

const folder = await mkdtemp(join(tmpdir(), "moco-ts-demo-"));
let place: Place | undefined;
try {
  place = await choosePlace();
  await play(place, folder);
  const beginning = flags.keep ? "Everything is still up." : "`make demo KEEP=1` leaves everything up.";
  narrator.end([`${beginning} To go on by yourself, and to clean up:`, ...place.hints]);
} catch (error) {
  if (!signal.aborted) {
    console.error(`demo: ${describeError(error)}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
    if (place && flags.keep)
      narrator.end(["What is there is left up. To look at it, and to clean up:", ...place.hints]);
  }
} finally {
  await rm(folder, { recursive: true });
  if (place && (!flags.keep || signal.aborted)) await leave(place);
}
