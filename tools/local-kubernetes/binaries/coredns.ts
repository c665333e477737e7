import { chmod, cp, copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../system/run.ts";

/**
 * Copies CoreDNS' source out of Go's module cache and lets its own generator choose the plugins, as its documentation
 * says for a custom build. Returns the folder to build in.
 */
export async function prepareCoreDns(
  moduleDirectory: string,
  temporary: string,
  signal?: AbortSignal,
): Promise<string> {
  const module = "github.com/coredns/coredns";
  const answer = await run("go", ["mod", "download", "-json", module], { cwd: moduleDirectory, signal });
  const source = join(temporary, "source");
  await cp((JSON.parse(answer) as { Dir: string }).Dir, source, { recursive: true });
  await makeWritable(source);
  await copyFile(join(moduleDirectory, "plugin.cfg"), join(source, "plugin.cfg"));
  await run("go", ["run", "directives_generate.go"], { cwd: source, signal });
  return source;
}

// The module cache is read-only, and so would be our copy.
async function makeWritable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    await (entry.isDirectory() ? makeWritable(path) : chmod(path, 0o644));
  }
}
