/** `node tools/local-kubernetes/images/main.ts build`: what `make images` runs. */
import { Command } from "commander";
import { buildImages } from "./build.ts";
import { baseRecipe, nodeRecipe } from "./recipe.ts";
import { imageSources } from "./sources.ts";

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort());
process.once("SIGTERM", () => interrupted.abort());
const { signal } = interrupted;
const report = (line: string) => console.log(line);

const program = new Command("images").description("Container images of this project");

program
  .command("build")
  .description("build images; those that are there in their present form are left alone")
  .argument("[name...]", "folders of images/, and `base` (default: all)")
  .option("--folder <folder>", "where the images' folders are (default: images/)")
  .action(async (names: string[], options: { folder?: string }) => {
    await buildImages({ names, ...options, report, signal });
  });

program
  .command("list")
  .description("print the names and references of all images")
  .action(async () => {
    for (const { reference } of [baseRecipe, nodeRecipe]) console.log(`base ${reference}`);
    for (const { name, reference } of await imageSources()) {
      console.log(`${name} ${reference}`);
    }
  });

try {
  await program.parseAsync();
} catch (error) {
  console.error(`images: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
