import { build } from "esbuild";

export interface BundleOptions {
  /**
   * For a program whose memory counts. Leaves out white space and comments, since Node keeps a program's text; and makes a
   * CommonJS module, since an ES module that imports one of Node's own modules loads all that it could export, in the
   * case of node:http a whole client. Such a program can't wait at its top level. Default false.
   */
  readonly compact?: boolean;
}

/** Bundles a TypeScript program and all that it imports into one file for Node 24. */
export async function bundle(entry: string, outfile: string, options: BundleOptions = {}): Promise<void> {
  const { compact = false } = options;
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    legalComments: "linked",
    logLevel: "warning",
    ...(compact ? compactModule : ecmaScriptModule),
  });
}

const compactModule = { format: "cjs", minifyWhitespace: true } as const;

const ecmaScriptModule = {
  format: "esm",
  // CommonJS packages inside of an ES module still ask for require.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
} as const;
