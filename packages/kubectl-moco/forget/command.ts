import { annotationKeys, MySQLClusters, type MySQLCluster } from "@moco-ts/api";
import type { Command } from "commander";
import { getCluster } from "../cluster/get.ts";
import { confirm } from "../confirm.ts";
import { Failure } from "../failure.ts";
import { printLine } from "../io.ts";
import type { Session } from "../session.ts";
import type { Tools } from "../tools.ts";

export function addForget(program: Command, tools: Tools): void {
  program
    .command("forget")
    .description("Say that the mysqld of a lost instance has ended for sure, so that failovers need not find it.")
    .argument("<cluster>", "name of the MySQLCluster")
    .argument("<server-uuid>", "server_uuid of the lost instance, as the condition Healthy names it")
    .option("-y, --yes", "do not ask for confirmation")
    .addHelpText("after", examples)
    .action((name: string, uuid: string, { yes = false }: { yes?: boolean }, command: Command) =>
      tools.connect(command, (session) => forget(session, tools, name, uuid.toLowerCase(), yes)),
    );
}

const examples = `
An instance whose Pod and volume vanished while its node could not be asked may still run somewhere and acknowledge
writes. As long as nobody knows, no failover is possible. Make sure that its node is switched off or started anew.

Examples:
  kubectl moco forget test 7c8d6f1e-0000-11f1-8de9-0242ac120002`;

async function forget(session: Session, tools: Tools, name: string, uuid: string, yes: boolean): Promise<void> {
  const { io, signal } = tools;
  const { client, namespace } = session;
  const cluster = await getCluster(session, name, signal);
  checkForget(cluster, uuid);
  const what = `the server ${uuid} of MySQLCluster "${namespace}/${name}"`;
  const warning = `If ${what} still runs anywhere, writes that it acknowledges can be lost.`;
  if (!yes) await confirm(io, warning, signal);
  const { uid, annotations = {} } = cluster.metadata;
  const before = annotations[annotationKeys.endedServers]?.split(",") ?? [];
  const ended = [...new Set([...before, uuid])].join();
  const body = { metadata: { uid, annotations: { [annotationKeys.endedServers]: ended } } };
  await client.patch(MySQLClusters, { namespace, name }, { type: "merge", body }, { signal });
  await printLine(io.stdout, `the operator will do without ${what}`);
}

function checkForget({ metadata, status }: MySQLCluster, uuid: string): void {
  const { voters = [], primary } = status?.clustering ?? {};
  if (uuid === primary) {
    throw new Failure(`${uuid} is the primary`, {
      advice: `If it is lost, the operator replaces it by itself: see kubectl moco status ${metadata.name}.`,
    });
  }
  if (voters.includes(uuid)) return;
  const others = voters.filter((each) => each !== primary);
  throw new Failure(`the cluster does not know any server ${uuid} that acknowledges writes`, {
    advice: others.length > 0 ? `There are: ${others.join(", ")}.` : "There is none beside the primary.",
  });
}
