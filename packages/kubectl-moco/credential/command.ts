import { mysqlUsers, namesOf } from "@moco-ts/api";
import { isNotFound, Secrets } from "@moco-ts/kube";
import type { Command } from "commander";
import { getCluster } from "../cluster/get.ts";
import { Failure, usageError } from "../failure.ts";
import { print } from "../io.ts";
import type { Session } from "../session.ts";
import type { Tools } from "../tools.ts";

/** Users whose passwords are for people. */
const users = [mysqlUsers.readOnly, mysqlUsers.writable, mysqlUsers.admin];
const formats = ["plain", "mycnf"];

interface Flags {
  readonly mysqlUser: string;
  readonly format: string;
}

export function addCredential(program: Command, tools: Tools): void {
  program
    .command("credential")
    .description("Print the password of a MySQL user.")
    .argument("<cluster>", "name of the MySQLCluster")
    .option("-u, --mysql-user <name>", `one of ${users.map(({ name }) => name).join(", ")}`, mysqlUsers.readOnly.name)
    .option("--format <format>", "plain, or mycnf for an options file of MySQL's programs", "plain")
    .addHelpText("after", examples)
    .action(async (cluster: string, flags: Flags, command: Command) => {
      const user = users.find(({ name }) => name === flags.mysqlUser);
      if (!user) throw usageError(`invalid user: ${flags.mysqlUser}`);
      if (!formats.includes(flags.format)) throw usageError(`unknown format: ${flags.format}`);
      const password = await tools.connect(command, (session) =>
        readPassword(session, cluster, user.secretKey, tools.signal),
      );
      const text = flags.format === "plain" ? password : `[client]\nuser=${user.name}\npassword="${password}"`;
      await print(tools.io.stdout, `${text}\n`);
    });
}

const examples = `
Examples:
  # The password of the user who may only read
  kubectl moco credential test

  # An options file for the user who may write
  kubectl moco credential -u moco-writable --format mycnf test > my.cnf
  mysql --defaults-extra-file=my.cnf -h 127.0.0.1`;

async function readPassword(session: Session, cluster: string, key: string, signal: AbortSignal): Promise<string> {
  const { client, namespace } = session;
  const name = namesOf({ namespace, name: cluster }).usersSecret;
  try {
    const { data = {} } = await client.get(Secrets, { namespace, name }, { signal });
    const password = data[key];
    if (password) return Buffer.from(password, "base64").toString("utf8");
    throw new Failure(`the Secret "${namespace}/${name}" has no ${key}`, {
      advice: "Something else than the operator has made or changed it.",
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // Either there is no such cluster, which is told, or it is too new.
    await getCluster(session, cluster, signal);
    throw new Failure(`the passwords of "${namespace}/${cluster}" have not been made yet`, {
      advice: `The operator does that first of all: see kubectl moco status ${cluster}.`,
    });
  }
}
