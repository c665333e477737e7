import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "./lock.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lock-test-"));
});

afterEach(() => rm(directory, { recursive: true }));

test("only one works at a time", async () => {
  let working = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++working);
    await turn();
    working--;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(join(directory, "lock"), work)));
  expect(most).toBe(1);
});

test("the lock is free again after work that failed", async () => {
  const path = join(directory, "lock");
  const failing = withLock(path, () => Promise.reject(new Error("no luck")));
  await expect(failing).rejects.toThrow("no luck");
  expect(await withLock(path, async () => "done")).toBe("done");
});

test("the lock of a process that was killed is free", async () => {
  const path = join(directory, "lock");
  const module = join(import.meta.dirname, "lock.ts");
  const script = `import { withLock } from ${JSON.stringify(module)};
    await withLock(${JSON.stringify(path)}, () => { console.log("locked"); return new Promise(() => setInterval(() => {}, 1e6)); });`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  let waited = false;
  const waiting = withLock(
    path,
    async () => "done",
    () => {
      waited = true;
      holder.kill("SIGKILL");
    },
  );
  expect(await waiting).toBe("done");
  expect(waited).toBe(true);
});
