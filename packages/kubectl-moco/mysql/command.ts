import {
  containerNames,
  mysqlUsers,
  optionsFileName,
  optionsFileUsers,
  podName,
  type MySQLCluster,
} from "@moco-ts/api";
import { hasReason, type Terminal } from "@moco-ts/kube";
import type { Command } from "commander";
import { getCluster } from "../cluster/get.ts";
import { Failure, usageError } from "../failure.ts";
import { printLine } from "../io.ts";
import { parseIndex } from "../parse.ts";
import type { Session } from "../session.ts";
import type { Tools } from "../tools.ts";
import { enterTerminal } from "./terminal.ts";

interface Flags {
  readonly mysqlUser: string;
  readonly index: number;
  readonly stdin?: boolean;
  readonly tty?: boolean;
}

export function addMysql(program: Command, tools: Tools): void {
  program
    .command("mysql")
    .description("Run mysql in the Pod of an instance, as one of its users. No password is needed.")
    .argument("<cluster>", "name of the MySQLCluster")
    .argument("[arguments...]", "for mysql; after -- if they begin with a dash")
    .option("-u, --mysql-user <name>", "user to log in as", mysqlUsers.readOnly.name)
    .option("--index <number>", "index of the instance; -1 for the primary", indexOrPrimary, primary)
    .option("-i, --stdin", "pass standard input to mysql")
    .option("-t, --tty", "standard input is a terminal")
    .addHelpText("after", examples)
    .action(async (name: string, args: string[], flags: Flags, command: Command) => {
      const user = optionsFileUsers.find((user) => user.name === flags.mysqlUser);
      if (!user) throw usageError(`invalid user: ${flags.mysqlUser}`);
      const login = `--defaults-extra-file=/mysql-credentials/${optionsFileName(user)}`;
      const code = await tools.connect(command, async (session) => {
        const pod = podOf(await getCluster(session, name, tools.signal), flags.index);
        return runMysql(session, tools, pod, ["mysql", login, ...args], flags);
      });
      if (code !== 0) throw new Failure(`command terminated with exit code ${code}`, { exitCode: code });
    });
}

/** Stands for whichever instance is the primary. */
const primary = -1;

function indexOrPrimary(text: string): number {
  return text === String(primary) ? primary : parseIndex(text);
}

const examples = `
Examples:
  # A session on the primary
  kubectl moco mysql -it test

  # One statement on instance 2, as the administrator
  kubectl moco mysql -u moco-admin --index 2 test -- -e 'SHOW REPLICA STATUS'

  # Statements from a file
  kubectl moco mysql -u moco-writable -i test -- shop < schema.sql`;

function podOf({ metadata, spec, status }: MySQLCluster, index: number): string {
  if (spec.offline) {
    throw new Failure(`MySQLCluster "${metadata.namespace}/${metadata.name}" is offline: no instance runs`, {
      advice: `To bring it back: kubectl patch mysqlcluster ${metadata.name} --type=merge -p '{"spec":{"offline":false}}'`,
    });
  }
  if (index >= spec.replicas)
    throw new Failure("index should be smaller than replicas", { advice: `There are ${spec.replicas}.` });
  return podName(metadata.name, index === primary ? (status?.currentPrimaryIndex ?? 0) : index);
}

async function runMysql(
  { streams, namespace }: Session,
  { io, signal }: Tools,
  name: string,
  command: readonly string[],
  flags: Flags,
): Promise<number> {
  const { stdin, stdout, stderr } = io;
  let terminal: (Terminal & Disposable) | undefined;
  if (flags.tty && flags.stdin && stdin.isTTY) terminal = enterTerminal(stdin, stdout);
  else if (flags.tty)
    await printLine(stderr, "Unable to use a TTY: standard input is not a terminal, or -i is missing");
  try {
    const input = flags.stdin ? { stdin } : {};
    return await streams.exec({ namespace, name }, containerNames.mysqld, command, {
      ...input,
      stdout,
      stderr,
      terminal,
      signal,
    });
  } catch (error) {
    // No such Pod, no node for it yet, or no container that runs.
    if (!hasReason(error, "NotFound", "BadRequest", "InternalError")) throw error;
    throw new Failure(`mysql can't be run in the Pod "${namespace}/${name}": ${error.message}`, {
      advice: "See kubectl moco status for how the cluster is.",
      cause: error,
    });
  } finally {
    terminal?.[Symbol.dispose]();
  }
}
