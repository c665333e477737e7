/**
 * A program for tests: one of several replicas, of which the leader writes into a ConfigMap without a pause. There is
 * always more to be written than its rate limit lets through, so that writes lie waiting whenever it is frozen.
 *
 *     node replica.ts KUBECONFIG NAMESPACE IDENTITY
 */
import { createLogger, Metrics } from "@moco-ts/base";
import {
  ConfigMaps,
  connect,
  createController,
  createManager,
  guardClient,
  LeaderElection,
  loadKubeconfig,
  requeueAfter,
  runProgram,
} from "../../index.ts";

const [path = "", namespace = "", identity = ""] = process.argv.slice(2);
const logger = createLogger();

/** Shorter than the defaults, and long enough that a busy machine alone loses no lease. */
const times = { leaseDuration: 6000, renewDeadline: 4000, retryPeriod: 500 };

async function run(signal: AbortSignal): Promise<void> {
  const config = await loadKubeconfig({ environment: {}, path });
  const metrics = new Metrics();
  const election = new LeaderElection({
    client: connect(config),
    namespace,
    name: "replica",
    identity,
    logger,
    ...times,
  });
  const client = guardClient(connect(config, { qps: 50, burst: 1 }), election);
  const writers = Array.from({ length: 10 }, (_, index) => `writer-${index}`);
  let writes = 0;
  const writer = createController({
    name: "writer",
    sources: [
      {
        start: ({ enqueue }) => {
          for (const key of writers) enqueue(key, "normal");
          return () => undefined;
        },
      },
    ],
    async reconcile(_key, { signal }) {
      const body = { data: { [identity]: `${++writes}` } };
      await client.patch(ConfigMaps, { namespace, name: "journal" }, { type: "merge", body }, { signal });
      return requeueAfter(0);
    },
    concurrency: writers.length,
    leadership: election,
    logger,
    metrics,
  });
  const manager = createManager({
    components: [writer],
    election,
    healthAddress: "0",
    metricsAddress: "0",
    metrics,
    logger,
  });
  await manager.run(signal);
}

await runProgram(process, logger, run);
