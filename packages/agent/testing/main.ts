/** For tests: the agent's program with a mysqld whose admin port is elsewhere, in MYSQLD_PORT. */
import { createLogger } from "@moco-ts/base";
import { runProgram } from "@moco-ts/kube";
import { runAgent } from "../agent.ts";
import { readConfig } from "../config.ts";

const logger = createLogger();
const mysqldPort = Number(process.env["MYSQLD_PORT"]);
void runProgram(process, logger, (signal) =>
  runAgent({ config: readConfig(process.argv.slice(2)), logger, mysqldPort }, signal),
);
