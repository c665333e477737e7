import { EventEmitter } from "node:events";
import { Metrics, silentLogger, sleep, systemClock } from "@moco-ts/base";
import { expect, it, vi } from "vitest";
import type { Component } from "./component.ts";
import { createManager } from "./manager.ts";
import { runProgram } from "./program.ts";

/** Something that runs as long as the program does. Controllers are components as they are. */
function createTicker(metrics: Metrics): Component {
  const ticks = metrics.counter("ticks_total", "Ticks so far");
  return {
    name: "ticker",
    needLeaderElection: false,
    async run(signal) {
      while (!signal.aborted) {
        ticks.inc();
        await sleep(systemClock, 10, signal).catch(() => undefined);
      }
    },
  };
}

it("example: a program from start to end", async () => {
  const process = Object.assign(new EventEmitter(), { exit: vi.fn<(code: number) => void>() }); // A program passes its own `process`.
  const metrics = new Metrics();
  let address = "";
  const manager = createManager({
    components: [createTicker(metrics)],
    healthAddress: "127.0.0.1:0", // Programs take these from flags: ":8081".
    metricsAddress: "0",
    readyChecks: {
      ticking: async () => {
        if (!(await metrics.text()).includes("ticks_total")) throw new Error("no tick yet");
      },
    },
    onListening: (_server, port) => (address = `http://127.0.0.1:${port}`),
    metrics,
  });
  const ended = runProgram(process, silentLogger, (signal) => manager.run(signal));

  await vi.waitFor(async () => {
    const response = await fetch(`${address}/readyz?verbose`);
    expect(await response.text()).toBe(
      "[+]ping ok\n[+]caches ok\n[+]shutdown ok\n[+]ticking ok\nreadyz check passed\n",
    );
  });

  process.emit("SIGTERM", "SIGTERM");
  await ended;
  expect(process.exit).toHaveBeenCalledWith(0);
  await expect(fetch(`${address}/healthz`)).rejects.toThrow("fetch failed");
});
