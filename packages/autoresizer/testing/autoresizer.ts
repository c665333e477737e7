/** For API tests: a whole autoresizer in this process. */
import { createLogger, Metrics, systemClock, type Clock } from "@moco-ts/base";
import { onTestFinished } from "vitest";
import { readConfig } from "../config.ts";
import { createAutoresizer } from "../wire.ts";
import { testConfig, type TestCluster } from "./cluster.ts";

export interface RunningAutoresizer {
  readonly metrics: Metrics;
  /** Log lines, as objects. */
  readonly log: readonly Record<string, unknown>[];
  /** Rounds that have ended since the start. */
  readonly rounds: () => Promise<number>;
  /** The value of a metric, by the beginning of its line. */
  readonly metric: (line: string) => Promise<number | undefined>;
  readonly stop: () => Promise<void>;
}

/** Starts one that manages the namespace of a test; it is stopped when the test ends. */
export async function startAutoresizer(
  { namespace }: TestCluster,
  flags: readonly string[],
  clock: Clock = systemClock,
): Promise<RunningAutoresizer> {
  const quiet = ["--metrics-addr=0", "--health-addr=0", "--webhook-addr=0", `--namespaces=${namespace}`];
  const config = readConfig([...quiet, "--interval=200ms", ...flags], { POD_NAMESPACE: namespace });
  const metrics = new Metrics();
  const log: Record<string, unknown>[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void log.push(JSON.parse(line)) } });
  const stopping = new AbortController();
  const running = createAutoresizer(config, { cluster: await testConfig(), logger, metrics, clock }).run(
    stopping.signal,
  );
  const stop = async (): Promise<void> => {
    stopping.abort(new Error("the test is over"));
    await running;
  };
  onTestFinished(stop);
  const metric = async (beginning: string): Promise<number | undefined> => {
    const line = (await metrics.text()).split("\n").find((each) => each.startsWith(beginning));
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ") + 1));
  };
  const rounds = async (): Promise<number> =>
    (await metric('controller_runtime_reconcile_total{controller="pvc-autoresizer",result="success"}')) ?? 0;
  return { metrics, log, rounds, metric, stop };
}
