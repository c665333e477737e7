import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import { cluster, down, up } from "@moco-ts/local-kubernetes";
import { program } from "./program.ts";

const names = ["ground-up", "ground-beside"];

afterEach(async () => {
  for (const name of names) {
    await down(name, { report: () => {} });
  }
});

/** Runs `up` and kills it when it says something that matches. */
async function interruptedUp(when: RegExp): Promise<void> {
  const child = spawn(process.execPath, [program, "up", "--name", "ground-up"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of createInterface({ input: child.stderr })) {
    if (when.test(line)) {
      child.kill("SIGKILL");
      break;
    }
  }
  await once(child, "exit");
}

test.each([/binaries/, /network/, /API server/, /controllers/])(
  "an `up` that was killed at %s is repeated",
  async (when) => {
    await interruptedUp(when);
    const found = await up({ name: "ground-up" });
    expect(await found.kubectl(["get", "nodes"])).toMatch(/node-1 +Ready/);
  },
);

test("a second `up` changes nothing, and a larger one adds nodes", async () => {
  const first = await up({ name: "ground-up" });
  const pids = [...first.processes.values()].map(({ pid }) => pid);
  const second = await up({ name: "ground-up" });
  expect([...second.processes.values()].map(({ pid }) => pid)).toEqual(pids);
  const larger = await up({ name: "ground-up", nodes: 2 });
  expect([...larger.processes.values()].map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
  expect(await larger.kubectl(["get", "nodes"])).toMatch(/node-2 +Ready/);
  await expect(up({ name: "ground-up", nodes: 1 })).rejects.toThrow(/down/);
});

test("two clusters run side by side and don't know of each other", async () => {
  const [one, other] = await Promise.all([up({ name: "ground-up" }), up({ name: "ground-beside", auditLog: true })]);
  expect(one.server).not.toBe(other.server);
  await one.kubectl(["create", "configmap", "only-here"]);
  await expect(other.kubectl(["get", "configmap", "only-here"])).rejects.toThrow(/NotFound/);
  expect(await readFile(other.auditLogPath!, "utf8")).toContain("only-here");
  await down("ground-up");
  expect(await other.kubectl(["get", "nodes"])).toMatch(/node-1 +Ready/);
  await expect(cluster("ground-up")).rejects.toThrow(/no cluster/);
});

test("a control plane alone is there in a few seconds", async () => {
  const alone = await up({ name: "ground-up", controlPlaneOnly: true });
  expect(alone.nodes).toEqual([]);
  await alone.kubectl(["create", "configmap", "works"]);
});
