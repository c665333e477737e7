/** What every package stands on: no Kubernetes, no MySQL. */
export * from "./abort.ts";
export * from "./array-splitter.ts";
export * from "./backoff.ts";
export * from "./clock.ts";
export * from "./duration.ts";
export * from "./errors.ts";
export * from "./logger.ts";
export * from "./metrics.ts";
export * from "./quantity.ts";
export * from "./retry.ts";
export * from "./schedule.ts";
export * from "./silent-logger.ts";
export * from "./simulated-clock.ts";
