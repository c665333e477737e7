import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { prepareCli } from "@moco-ts/bundle";
import { resolveBinary, sharedControlPlane } from "@moco-ts/local-kubernetes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCluster } from "./testing/cluster.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubectl-moco-"));
  await prepareCli(join(folder, "kubectl-moco"));
  await symlink("kubectl-moco", join(folder, "kubectl_complete-moco"));
});

afterAll(() => rm(folder, { recursive: true }));

/** Runs a program with the plugin on PATH, as a user does. */
async function runProgram(program: string, args: readonly string[], path: readonly string[] = []) {
  const { kubeconfigPath } = await sharedControlPlane();
  const directories = [...path, folder, dirname(process.execPath), "/usr/bin", "/bin"];
  const env = { KUBECONFIG: kubeconfigPath, PATH: directories.join(delimiter), HOME: folder };
  return new Promise<{ code: number; output: string; errors: string }>((resolve) => {
    execFile(program, args, { env }, (error, output, errors) => {
      resolve({ code: error === null ? 0 : Number(error.code), output, errors });
    });
  });
}

test("kubectl runs it as a plugin, and completes its command lines", async () => {
  const { namespace } = await createCluster();
  const kubectl = await resolveBinary("kubectl");
  const status = await runProgram(kubectl, ["moco", "status", "-n", namespace, "test"]);
  expect(status).toMatchObject({ code: 0, errors: "" });
  expect(status.output).toContain(`MySQLCluster ${namespace}/test`);

  const missing = await runProgram(kubectl, ["moco", "status", "-n", namespace, "other"]);
  expect(missing).toMatchObject({ code: 1, output: "" });
  expect((await runProgram(kubectl, ["moco", "status"])).code).toBe(2);

  const completed = await runProgram(kubectl, ["__complete", "moco", "status", "-n", namespace, ""]);
  expect(completed.output).toBe("test\n:4\n");
});

test.each(["bash", "zsh", "fish"])("the completion script for %s is what that shell takes", async (shell) => {
  const { code, output } = await runProgram(join(folder, "kubectl-moco"), ["completion", shell]);
  expect(code).toBe(0);
  const script = join(folder, `completion.${shell}`);
  await writeFile(script, output);
  const found = await runProgram("/bin/sh", ["-c", `command -v ${shell}`]);
  // Not every machine has every shell.
  const { errors } = found.code === 0 ? await runProgram(found.output.trim(), ["-n", script]) : { errors: "" };
  expect(errors).toBe("");
});

test("bash completes command lines by the script", async () => {
  const { namespace } = await createCluster();
  const attempt = `
    source <(kubectl-moco completion bash)
    COMP_WORDS=(kubectl-moco -n ${namespace} status t) COMP_CWORD=4
    _kubectl_moco
    echo "\${COMPREPLY[@]}"`;
  expect(await runProgram("/bin/bash", ["-c", attempt])).toEqual({ code: 0, output: "test\n", errors: "" });
});

test("a Node that is too old is told of", async () => {
  const old = join(folder, "old");
  await writeFile(`${old}.mjs`, "Object.defineProperty(process.versions, 'node', { value: '20.1.0' });");
  const program = join(folder, "kubectl-moco");
  const { code, errors } = await runProgram(process.execPath, ["--import", `${old}.mjs`, program, "--help"]);
  expect({ code, errors }).toEqual({ code: 1, errors: "error: Node 24 or newer is needed, and this is 20.1.0\n" });
});

test("a reader that stops reading is no failure", async () => {
  const { code, errors, output } = await runProgram("/bin/bash", [
    "-c",
    "set -o pipefail; kubectl-moco --help | head -1",
  ]);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(output).toBe("Usage: kubectl moco [options] [command]\n");
});
