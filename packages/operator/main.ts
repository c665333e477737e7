/** moco-controller: makes MySQL clusters of MySQLCluster resources. */
import { createLogger, describeError, Metrics, systemClock } from "@moco-ts/base";
import { loadConfig, runProgram } from "@moco-ts/kube";
import { readConfig, type Config } from "./config.ts";
import { createOperator } from "./wire.ts";

let config: Config;
try {
  config = readConfig(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`moco-controller: ${describeError(error)}\n`);
  process.exit(2);
}
const logger = createLogger({ level: config.logLevel });
void runProgram(process, logger, async (signal) => {
  const cluster = await loadConfig(config);
  await createOperator(config, { cluster, logger, metrics: new Metrics(), clock: systemClock }).run(signal);
});
