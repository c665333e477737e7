import { expect, test } from "vitest";
import { freeze, runContainer } from "@moco-ts/mysql/testing";
import { startInstance, type Instance } from "./testing/semi-sync.ts";

/** Milliseconds that the program holds back the end of an instance, in a container beside it with the same volumes. */
async function heldBack(instance: Instance, ...arguments_: string[]): Promise<number> {
  const start = performance.now();
  const { code } = await runContainer({
    // The kubelet too waits for the end of what is written.
    command: ["sh", "-c", '/moco/moco-pre-stop "$@" | cat', "sh", ...arguments_],
    volumes: {
      "/moco": import.meta.dirname,
      "/run": instance.mysqld.volumes.run,
      "/mysql-credentials": instance.credentials,
    },
  });
  expect(code).toBe(0);
  return performance.now() - start;
}

test("a replica is not held back", async () => {
  const instance = await startInstance();
  expect(await heldBack(instance)).toBeLessThan(5_000);
});

test("a primary is held back until it is none, and no longer than it is told", async () => {
  const instance = await startInstance();
  await instance.admin.query("SET GLOBAL read_only = OFF");
  expect(await heldBack(instance, "2")).toBeGreaterThan(1_000);
  const held = heldBack(instance, "50");
  await expect(Promise.race([held, new Promise((resolve) => setTimeout(resolve, 1_000, "held"))])).resolves.toBe(
    "held",
  );
  await instance.admin.query("SET GLOBAL super_read_only = ON");
  expect(await held).toBeLessThan(20_000);
});

test("an instance that is gone is not held back, and a frozen one not for ever", async () => {
  const instance = await startInstance();
  await instance.admin.query("SET GLOBAL read_only = OFF");
  const [, mysqld] = await instance.mysqld.processes();
  await freeze(mysqld!);
  expect(await heldBack(instance, "2")).toBeLessThan(20_000);
  await instance.mysqld.kill();
  expect(await heldBack(instance)).toBeLessThan(5_000);
});
