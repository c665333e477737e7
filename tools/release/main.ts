/** `make release VERSION=1.2.3`: makes dist/, all that a version consists of. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { makeRelease } from "./release.ts";

const program = new Command("release")
  .description("make all that a version consists of: charts, images, the plugin of kubectl, what is in them, checksums")
  .argument("<version>", "as in package.json, with an entry in CHANGELOG.md")
  .option("--folder <folder>", "where to; what is there is removed", join(import.meta.dirname, "../../dist"))
  .option("--draft", "to try it: any version, from the newest entry of the changelog")
  .parse();
const [version] = program.args;
const { folder, draft = false } = program.opts<{ folder: string; draft?: boolean }>();

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort());

try {
  const report = (line: string) => console.log(line);
  await makeRelease({ version: version!, folder, draft, report, signal: interrupted.signal });
  console.log(`\n${folder}:`);
  for (const name of (await readdir(folder)).sort()) {
    const { size } = await stat(join(folder, name));
    console.log(`  ${String(Math.ceil(size / 1024)).padStart(7)} KiB  ${name}`);
  }
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
