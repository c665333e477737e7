#!/usr/bin/env node
/** kubectl-moco: what a person does with MySQL clusters. */
import { basename } from "node:path";
import { readEnvironment } from "./config.ts";
import { run } from "./program.ts";

const interrupted = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  // Whoever asks twice does not want to wait for a clean end.
  process.once(name, () => interrupted.abort(new Error(`got ${name}`)));
}
const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
// Whoever reads us may stop reading: `kubectl moco status test | head -1`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
const surroundings = { io, environment: readEnvironment(), signal: interrupted.signal };
const [, program = "", ...args] = process.argv;
// By this name kubectl asks what may stand in a command line of ours.
const isAsked = basename(program) === "kubectl_complete-moco";
void run(isAsked ? ["__complete", "--", ...args] : args, surroundings).then((code) => (process.exitCode = code));
