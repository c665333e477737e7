import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./pages.ts";

const tools = globSync(["tools/*/main.ts", "tools/*/*/main.ts", "bench/main.ts"], { cwd: root });

test.each(tools.sort())("%s says what it is for", (path) => {
  const { status, stdout } = spawnSync("node", [join(root, path), "--help"], { encoding: "utf8", timeout: 50_000 });
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringMatching(/[a-z]{3}.*[.\n]/) as string });
});
