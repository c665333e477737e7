import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { waitFor } from "../system/wait.ts";
import { identify, isAlive } from "./identity.ts";
import type { ProcessSpecification } from "./launch.ts";
import { ManagedProcess } from "./managed.ts";

let directory: string;
let specification: ProcessSpecification;
let managed: ManagedProcess;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "process-test-"));
  specification = {
    name: "sleeper",
    command: "sleep",
    args: ["1000"],
    logFile: join(directory, "log"),
    recordFile: join(directory, "record"),
  };
  managed = new ManagedProcess(specification);
});

afterEach(async () => {
  await managed.stop("SIGKILL");
  await rm(directory, { recursive: true });
});

async function recorded(): Promise<void> {
  await waitFor(async () => (await readFile(join(directory, "record"), "utf8").catch(() => "")) !== "", {
    what: "the record",
  });
}

test("a process is found again by its record, and started only once", async () => {
  await managed.start();
  await recorded();
  const same = new ManagedProcess(specification);
  expect(same.pid).toBe(managed.pid);
  await same.start();
  expect(same.pid).toBe(managed.pid);
  await same.stop();
  expect(managed.pid).toBeUndefined();
});

test("a process that happens to have the pid of an old record is left alone", async () => {
  await managed.start();
  await recorded();
  const { pid } = managed;
  await writeFile(join(directory, "record"), `${pid} 1\n`);
  const mistaken = new ManagedProcess(specification);
  expect(mistaken.pid).toBeUndefined();
  await mistaken.stop("SIGKILL");
  expect(managed.pid).toBe(pid);
});

test("a frozen process keeps its pid, and can be stopped", async () => {
  await managed.start();
  managed.freeze();
  const state = () => readFile(`/proc/${managed.pid}/stat`, "utf8").then((stat) => stat.split(" ")[2]);
  await waitFor(async () => (await state()) === "T", { what: "the process to be frozen" });
  managed.thaw();
  await waitFor(async () => (await state()) === "S", { what: "the process to go on" });
  managed.freeze();
  await managed.stop();
  expect(managed.pid).toBeUndefined();
});

test("a restarted process is another one", async () => {
  await managed.start();
  const { pid } = managed;
  await managed.restart();
  expect(managed.pid).toBeDefined();
  expect(managed.pid).not.toBe(pid);
});

test("a process that ends before it is ready is an error with the end of its log", async () => {
  managed = new ManagedProcess({
    ...specification,
    command: "sh",
    args: ["-c", "echo the port is taken; exit 1"],
    ready: () => Promise.resolve(false),
  });
  await expect(managed.start()).rejects.toThrow(/sleeper ended at once[^]*the port is taken/);
});

test("a process dies with the one that started it, if it is told to", async () => {
  const script = `import { ManagedProcess } from ${JSON.stringify(join(import.meta.dirname, "managed.ts"))};
    const managed = new ManagedProcess(${JSON.stringify({ ...specification, dieWithParent: true })});
    await managed.start();
    console.log(JSON.stringify(managed.identity));
    process.kill(process.pid, "SIGKILL");`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  const identity = JSON.parse(stdout) as { pid: number; startTime: number };
  await expect.poll(() => isAlive(identity), { timeout: 5_000 }).toBe(false);
});

test("a process is identified by its pid and start time", () => {
  const own = identify(process.pid);
  expect(own?.startTime).toBeGreaterThan(0);
  expect(isAlive({ pid: process.pid, startTime: 1 })).toBe(false);
});
