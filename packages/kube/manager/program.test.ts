import { EventEmitter } from "node:events";
import { abortReason, createLogger, raceAbort } from "@moco-ts/base";
import { expect, it } from "vitest";
import { runProgram } from "./program.ts";

/** A process that notes how it would have ended. */
class FakeProcess extends EventEmitter {
  readonly codes: number[] = [];
  exit(code: number): void {
    this.codes.push(code);
  }
}

function setUp(run: (signal: AbortSignal) => Promise<void>) {
  const process = new FakeProcess();
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  return { process, lines, ended: runProgram(process, logger, run) };
}

const untilTold = (signal: AbortSignal): Promise<never> => raceAbort(new Promise<never>(() => undefined), signal);

it.each(["SIGTERM", "SIGINT"])("stops on %s, with code 0", async (name) => {
  const { process, ended, lines } = setUp((signal) => untilTold(signal).catch(() => undefined));
  process.emit(name, name);
  await ended;
  expect(process.codes).toEqual([0]);
  expect(lines[0]).toMatchObject({ msg: "told to stop", signal: name });
  expect(process.eventNames()).toEqual([]);
});

it("ends at once when told twice", async () => {
  const stuck = Promise.withResolvers<void>();
  const { process, ended } = setUp(() => stuck.promise);
  process.emit("SIGTERM", "SIGTERM");
  expect(process.codes).toEqual([]);
  process.emit("SIGTERM", "SIGTERM");
  expect(process.codes).toEqual([1]);
  stuck.resolve();
  await ended;
});

it("ends with code 1 when the program fails, and says why", async () => {
  const { process, ended, lines } = setUp(async () => {
    throw new Error("cannot listen", { cause: new Error("address in use") });
  });
  await ended;
  expect(process.codes).toEqual([1]);
  expect(lines[0]).toMatchObject({ level: "error", error: "cannot listen: address in use" });
});

it.each(["unhandledRejection", "uncaughtException"])("ends with code 1 on an %s", async (event) => {
  const { process, ended, lines } = setUp((signal) => untilTold(signal).catch(() => abortReason(signal) && undefined));
  process.emit(event, new Error("forgotten"));
  expect(process.codes).toEqual([1]);
  expect(lines[0]).toMatchObject({ level: "error", error: "forgotten" });
  process.emit("SIGTERM", "SIGTERM");
  await ended;
});
