/** pvc-autoresizer: keeps volumes from filling up. */
import { createLogger, describeError, Metrics, silentLogger, systemClock } from "@moco-ts/base";
import { loadConfig, runProgram } from "@moco-ts/kube";
import { readConfig, type Config } from "./config.ts";
import { createAutoresizer, explainClaim } from "./wire.ts";

let config: Config;
try {
  config = readConfig(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`pvc-autoresizer: ${describeError(error)}\n`);
  process.exit(2);
}
const common = { metrics: new Metrics(), clock: systemClock };
void (config.explain ? printExplanation() : keepResizing());

async function keepResizing(): Promise<void> {
  const logger = createLogger({ level: config.logLevel });
  await runProgram(process, logger, async (signal) => {
    const cluster = await loadConfig(config);
    await createAutoresizer(config, { ...common, cluster, logger }).run(signal);
  });
}

async function printExplanation(): Promise<void> {
  try {
    const cluster = await loadConfig(config);
    const { signal } = new AbortController();
    process.stdout.write(await explainClaim(config, { ...common, cluster, logger: silentLogger }, signal));
  } catch (error) {
    process.stderr.write(`pvc-autoresizer: ${describeError(error)}\n`);
    process.exitCode = 1;
  }
}
