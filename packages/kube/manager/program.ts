import { CodedError, type Logger } from "@moco-ts/base";

/** What a program needs of its process: `process` itself, or a stand-in for tests. */
export interface ProcessLike {
  on(event: string, listener: (argument: unknown) => void): unknown;
  off(event: string, listener: (argument: unknown) => void): unknown;
  exit(code: number): void;
}

/**
 * Runs the program and ends the process with it: code 0 if it was told to stop and did, 1 if anything went wrong.
 *
 * SIGTERM and SIGINT ask it to stop; the second one ends it at once. An error that nobody caught leaves the program in a
 * state that nobody thought of: it is logged and the process ends, to be started anew.
 *
 * @example await runProgram(process, logger, (signal) => createManager({ ... }).run(signal));
 */
export async function runProgram(
  process: ProcessLike,
  logger: Logger,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stopping = new AbortController();
  const onSignal = (name: unknown): void => {
    if (stopping.signal.aborted) {
      logger.error("told to stop once more: ending at once", { signal: name });
      process.exit(1);
      return;
    }
    logger.info("told to stop", { signal: name });
    stopping.abort(new CodedError("SHUTDOWN", `got ${String(name)}`));
  };
  const onUncaught = (error: unknown): void => {
    logger.error("an error that nobody caught ends the program", { error });
    process.exit(1);
  };
  const listeners = [
    ["SIGTERM", onSignal],
    ["SIGINT", onSignal],
    ["unhandledRejection", onUncaught],
    ["uncaughtException", onUncaught],
  ] as const;
  for (const [event, listener] of listeners) process.on(event, listener);
  let code = 0;
  try {
    await run(stopping.signal);
    logger.info("ended");
  } catch (error) {
    code = 1;
    logger.error("ended by a failure", { error });
  }
  for (const [event, listener] of listeners) process.off(event, listener);
  process.exit(code);
}
