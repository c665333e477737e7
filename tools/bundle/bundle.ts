import { chmod } from "node:fs/promises";
import { build } from "esbuild";

export interface BundleOptions {
  /**
   * For a program whose memory counts. Leaves out white space and comments, since Node keeps a program's text; and makes a
   * CommonJS module, since an ES module that imports one of Node's own modules loads all that it could export, in the
   * case of node:http a whole client. Such a program can't wait at its top level. Default false.
   */
  readonly compact?: boolean;
  /**
   * For a program that people put on their PATH: an executable file without an extension, which Node takes for a module
   * wherever it lies. It says so if the Node there is too old. Its entry begins with #!. Default false.
   */
  readonly executable?: boolean;
}

/** Bundles a TypeScript program and all that it imports into one file for Node 24. */
export async function bundle(entry: string, outfile: string, options: BundleOptions = {}): Promise<void> {
  const { compact = false, executable = false } = options;
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    legalComments: "linked",
    logLevel: "warning",
    ...(executable ? executableModule : compact ? compactModule : ecmaScriptModule),
  });
  if (executable) await chmod(outfile, 0o755);
}

const compactModule = { format: "cjs", minifyWhitespace: true } as const;

const ecmaScriptModule = {
  format: "esm",
  // CommonJS packages inside of an ES module still ask for require.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
} as const;

/** An ES module whose body is CommonJS: what it needs of Node is asked for only after Node has been looked at. */
const executableModule = {
  // One file is all that people copy.
  legalComments: "eof",
  format: "cjs",
  minifyWhitespace: true,
  banner: {
    js: [
      'import { createRequire } from "node:module";',
      "if (Number.parseInt(process.versions.node) < 24) {",
      "  process.stderr.write(`error: Node 24 or newer is needed, and this is ${process.versions.node}\\n`);",
      "  process.exit(1);",
      "}",
      "const require = createRequire(import.meta.url);",
    ].join("\n"),
  },
} as const;
