/** moco-agent: what must run beside mysqld. */
import { createLogger } from "@moco-ts/base";
import { runProgram } from "@moco-ts/kube";
import { runAgent } from "./agent.ts";
import { readConfig, usage } from "./config.ts";

const argv = process.argv.slice(2);
if (argv.includes("--help")) {
  process.stdout.write(`${usage}\n`);
} else {
  const logger = createLogger();
  void runProgram(process, logger, (signal) => runAgent({ config: readConfig(argv), logger }, signal));
}
