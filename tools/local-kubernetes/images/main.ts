/** `node tools/local-kubernetes/images/main.ts build`: what `make images` runs. */
import { Command } from "commander";
import { buildImages } from "./build.ts";
import { loadImages } from "./load.ts";
import { baseRecipe } from "./recipe.ts";
import { imageSources } from "./sources.ts";

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort());
process.once("SIGTERM", () => interrupted.abort());
const { signal } = interrupted;
const report = (line: string) => console.log(line);

const program = new Command("images").description("Container images of this project: build them, load them into nodes");

program
  .command("build")
  .description("build images; those that are there in their present form are left alone")
  .argument("[name...]", "folders of images/, and `base` (default: all)")
  .action(async (names: string[]) => {
    await buildImages({ names, report, signal });
  });

program
  .command("list")
  .description("print the names and references of all images")
  .action(async () => {
    console.log(`base ${baseRecipe.reference}`);
    for (const { name, reference } of await imageSources()) {
      console.log(`${name} ${reference}`);
    }
  });

program
  .command("load")
  .description("put images into a node's containerd")
  .requiredOption("--containerd <socket>", "path of containerd's socket; repeat it for several nodes", collect)
  .argument("<reference...>", "for example localhost/moco-ts/mysql:9.7")
  .action(async (references: string[], options: { containerd: string[] }) => {
    const nodes = options.containerd.map((socket) => ({ name: socket, containerdSocket: socket }));
    await loadImages(nodes, references, { report, signal });
  });

function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(`images: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
