/** moco-agent: what must run beside mysqld. */
import { createLogger } from "@moco-ts/base";
import { runProgram } from "@moco-ts/kube";
import { runAgent } from "./agent.ts";
import { readConfig } from "./config.ts";

const logger = createLogger();
await runProgram(process, logger, (signal) => runAgent({ config: readConfig(process.argv.slice(2)), logger }, signal));
