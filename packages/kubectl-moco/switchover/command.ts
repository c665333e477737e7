import { annotationKeys, isAnnotated } from "@moco-ts/api";
import type { Pod } from "@moco-ts/kube";
import { Option, type Command } from "commander";
import { getCluster } from "../cluster/get.ts";
import { annotatePod, getMembers, memberOf } from "../cluster/members.ts";
import { Failure } from "../failure.ts";
import { printLine } from "../io.ts";
import { parseIndex, parseTime } from "../parse.ts";
import type { Session } from "../session.ts";
import type { Tools } from "../tools.ts";
import { checkCluster, checkSuccessor } from "./check.ts";
import { watchSwitchover } from "./wait.ts";

interface Flags {
  readonly to?: number;
  readonly wait?: boolean;
  readonly timeout: number;
}

export function addSwitchover(program: Command, tools: Tools): void {
  program
    .command("switchover")
    .description("Make another instance the primary. No write is lost, and writers wait for a moment.")
    .argument("<cluster>", "name of the MySQLCluster")
    .option("--to <index>", "index of the next primary; default: whoever the operator finds best", parseIndex)
    .option("--wait", "wait until it is done, and say how it goes")
    .addOption(new Option("--timeout <duration>", "how long to wait").argParser(parseTime).default(120_000, "2m"))
    .addHelpText("after", examples)
    .action((name: string, flags: Flags, command: Command) =>
      tools.connect(command, (session) => switchover(session, tools, name, flags)),
    );
}

const examples = `
Examples:
  kubectl moco switchover test

  # To a certain instance, and wait for it
  kubectl moco switchover test --to 2 --wait`;

async function switchover(session: Session, tools: Tools, name: string, { to, wait, timeout }: Flags): Promise<void> {
  const { io, signal } = tools;
  const cluster = await getCluster(session, name, signal);
  checkCluster(cluster);
  const members = await getMembers(session, cluster, signal);
  if (to !== undefined) checkSuccessor(cluster, members, to);
  if (isAnnotated(cluster, annotationKeys.clusteringStopped)) {
    const text = "clustering is stopped: there is no switchover until it is started";
    const advice = `To start it: kubectl moco start clustering ${name}`;
    if (wait) throw new Failure(text, { advice });
    await printLine(io.stderr, `warning: ${text}\n${advice}`);
  }
  const primary = cluster.status?.currentPrimaryIndex ?? 0;
  const pod = memberOf(members, cluster, primary);
  const request = {
    [annotationKeys.demote]: "true",
    [annotationKeys.switchoverTo]: to === undefined ? null : String(to),
  };
  const ask = async (): Promise<Pod> => {
    const asked = await annotatePod(session, pod, request, signal);
    const successor = to === undefined ? "another instance" : `instance ${to}`;
    await printLine(
      io.stdout,
      `asked instance ${primary} of MySQLCluster "${session.namespace}/${name}" to hand over to ${successor}`,
    );
    return asked;
  };
  if (!wait) return void (await ask());
  const report = (line: string): Promise<void> => printLine(io.stdout, line);
  await watchSwitchover(session, { cluster, primary, to, timeout, ask, report }, tools);
}
