import { Command } from "commander";
import { existsSync } from "node:fs";
import { cluster, type Cluster } from "../cluster/handle.ts";
import { loadImages } from "../images/load.ts";
import { imageSources } from "../images/sources.ts";
import { run } from "../system/run.ts";
import { nameOption } from "./options.ts";

export function loadCommand(): Command {
  return new Command("load")
    .description("put images into every node of a cluster")
    .argument("[image...]", "references that `make images` has built, or archives (default: all that it builds)")
    .addOption(nameOption())
    .action(async (images: string[], { name }: { name: string }) => {
      const found = await cluster(name);
      const archives = images.filter((image) => existsSync(image));
      for (const archive of archives) {
        await loadArchive(found, archive);
      }
      const named = images.filter((image) => !archives.includes(image));
      const references = images.length === 0 ? (await imageSources()).map(({ reference }) => reference) : named;
      await loadImages(found.nodes, references, { report: (line) => console.error(line) });
    });
}

async function loadArchive({ nodes }: Cluster, archive: string): Promise<void> {
  for (const { containerdSocket, name } of nodes) {
    await run("ctr", ["--address", containerdSocket, "--namespace", "k8s.io", "images", "import", archive]);
    console.error(`${name}: loaded ${archive}`);
  }
}
