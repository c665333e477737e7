import type { Logger } from "./logger.ts";

/** For tests and for callers that don't care. Apart from the others, so that programs without a log need no library for it. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLogger,
};
