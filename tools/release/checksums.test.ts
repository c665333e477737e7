import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checksumsFile, writeChecksums } from "./checksums.ts";

test("sha256sum agrees, also the second time", async () => {
  const folder = await mkdtemp(join(tmpdir(), "checksums-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "b"), "two");
  await writeFile(join(folder, "a file"), "one");
  await writeChecksums(folder);
  await writeChecksums(folder);
  const output = execFileSync("sha256sum", ["--check", "--strict", checksumsFile], { cwd: folder, encoding: "utf8" });
  expect(output).toBe("a file: OK\nb: OK\n");
});
