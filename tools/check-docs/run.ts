import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./pages.ts";

/** A command of a console block, with what it prints, if the page says so. */
export interface Command {
  readonly line: string;
  readonly output: readonly string[];
}

/** Lines that begin with `$ ` are commands; what follows them is their output. */
export function commandsOf(text: string): Command[] {
  const commands: { line: string; output: string[] }[] = [];
  let continued = false;
  for (const line of text.split("\n")) {
    const last = commands.at(-1);
    if (line.startsWith("$ ")) commands.push({ line: line.slice(2), output: [] });
    else if (continued && last) last.line += `\n${line}`;
    else if (last) last.output.push(line);
    else if (line.trim() !== "") throw new Error(`not a command, and not the output of one: ${line}`);
    continued = line.endsWith("\\");
  }
  return commands.map(({ line, output }) => ({ line, output: trimmed(output) }));
}

function trimmed(lines: readonly string[]): string[] {
  return lines
    .join("\n")
    .trimEnd()
    .split("\n")
    .filter((line, _, all) => all.length > 1 || line !== "");
}

/** Our programs under the names that users know them by, as they will be found on PATH. */
const programs = {
  "kubectl-moco": "packages/kubectl-moco/main.ts",
  "moco-controller": "packages/operator/main.ts",
  "moco-agent": "packages/agent/main.ts",
  "pvc-autoresizer": "packages/autoresizer/main.ts",
};

/** Writes them into a folder, with a kubectl that knows nothing but its plugin. */
export function writePrograms(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, script: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  for (const [name, entry] of Object.entries(programs)) write(name, `exec node ${join(root, entry)} "$@"`);
  write("kubectl", '[ "$1" = moco ] || exit 127\nshift\nexec kubectl-moco "$@"');
}

export function runCommand(line: string, programs: string): { readonly status: number | null; readonly text: string } {
  const PATH = [programs, join(root, "node_modules/.bin"), process.env["PATH"]].join(":");
  const options = { cwd: root, encoding: "utf8", env: { ...process.env, PATH, KUBECONFIG: "/dev/null" } } as const;
  const { status, stdout, stderr } = spawnSync("bash", ["-eu", "-o", "pipefail", "-c", line], options);
  return { status, text: `${stdout}${stderr}` };
}

/** Whether a text is what a page shows: a line `...` stands for any lines, and so does nothing at all. */
export function matches(shown: readonly string[], text: string): boolean {
  if (shown.length === 0) return true;
  const escape = (line: string): string => line.trimEnd().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = shown.map((line) => (line.trim() === "..." ? "(?:.*\n)*?" : `${escape(line)} *\n`)).join("");
  return new RegExp(`^${pattern}$`).test(`${text.trimEnd()}\n`);
}
