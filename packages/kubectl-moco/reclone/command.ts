import { annotationKeys, isAnnotated, labelKeys, ordinalOf, podName, type MySQLCluster } from "@moco-ts/api";
import { isNotFound, Pods, type Pod } from "@moco-ts/kube";
import type { Command } from "commander";
import { getCluster } from "../cluster/get.ts";
import { annotatePod, getMembers, memberOf } from "../cluster/members.ts";
import { Failure } from "../failure.ts";
import { printLine } from "../io.ts";
import { parseIndex } from "../parse.ts";
import type { Session } from "../session.ts";
import type { Tools } from "../tools.ts";
import { checkReclone } from "./check.ts";
import { confirm } from "../confirm.ts";

interface Flags {
  readonly index?: number;
  readonly yes?: boolean;
}

export function addReclone(program: Command, tools: Tools): void {
  program
    .command("reclone")
    .description("Replace all data of a replica by a copy of a healthy instance's. What only it has is lost.")
    .argument("<pod-or-cluster>", "name of the Pod, or of the MySQLCluster if --index is given")
    .option("--index <index>", "index of the instance", parseIndex)
    .option("-y, --yes", "do not ask for confirmation")
    .addHelpText("after", examples)
    .action((name: string, flags: Flags, command: Command) =>
      tools.connect(command, (session) => reclone(session, tools, name, flags)),
    );
}

const examples = `
It is the way back for an instance with transactions that the primary does not have, or whose data are damaged.

Examples:
  kubectl moco reclone moco-test-1

  # The same instance, without a question
  kubectl moco reclone test --index 1 --yes`;

async function reclone(session: Session, tools: Tools, name: string, flags: Flags): Promise<void> {
  const { io, signal } = tools;
  const { cluster, index } = await findInstance(session, name, flags.index, signal);
  const members = await getMembers(session, cluster, signal);
  checkReclone(cluster, members, index);
  const pod = memberOf(members, cluster, index);
  const what = `instance ${index} of MySQLCluster "${session.namespace}/${cluster.metadata.name}"`;
  if (isAnnotated(pod, annotationKeys.reclone)) return printLine(io.stdout, `${what} is to be re-initialised already`);
  if (!flags.yes)
    await confirm(io, `All data of ${what} will be deleted and copied anew from another instance.`, signal);
  await annotatePod(session, pod, { [annotationKeys.reclone]: "true" }, signal);
  await printLine(io.stdout, `asked for the re-initialisation of ${what}`);
}

async function findInstance(
  session: Session,
  name: string,
  index: number | undefined,
  signal: AbortSignal,
): Promise<{ cluster: MySQLCluster; index: number }> {
  if (index !== undefined) {
    const cluster = await getCluster(session, name, signal);
    const { replicas } = cluster.spec;
    if (index < replicas) return { cluster, index };
    throw new Failure(`there is no instance ${index}`, { advice: `Indexes are 0 to ${replicas - 1}.` });
  }
  const pod = await getPod(session, name, signal);
  const clusterName = pod.metadata?.labels?.[labelKeys.instance];
  const ordinal = ordinalOf(name);
  if (clusterName === undefined || ordinal === undefined || podName(clusterName, ordinal) !== name) {
    throw new Failure(`the Pod "${session.namespace}/${name}" is no instance of a MySQLCluster`);
  }
  return { cluster: await getCluster(session, clusterName, signal), index: ordinal };
}

async function getPod({ client, namespace }: Session, name: string, signal: AbortSignal): Promise<Pod> {
  try {
    return await client.get(Pods, { namespace, name }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Failure(`the Pod "${namespace}/${name}" is not there`, {
      advice: `If "${name}" is a MySQLCluster, name the instance with --index.`,
      cause: error,
    });
  }
}
