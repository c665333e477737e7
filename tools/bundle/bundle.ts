import { build } from "esbuild";

export interface BundleOptions {
  /** Leaves out white space and comments: Node keeps a program's text in memory. Default false. */
  readonly compact?: boolean;
}

/** Bundles a TypeScript program and all that it imports into one ES module for Node 24. */
export async function bundle(entry: string, outfile: string, options: BundleOptions = {}): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minifyWhitespace: options.compact ?? false,
    platform: "node",
    target: "node24",
    format: "esm",
    legalComments: "linked",
    logLevel: "warning",
    // CommonJS packages inside of an ES module still ask for require.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
}
