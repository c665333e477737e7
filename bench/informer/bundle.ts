import { join } from "node:path";
import { build } from "esbuild";

/** One file of a program, as images have it. Returns its path. */
export async function bundle(entry: string, name: string, directory: string): Promise<string> {
  const outfile = join(directory, `${name}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "esm",
    // CommonJS inside of an ES module needs what CommonJS has.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  return outfile;
}
