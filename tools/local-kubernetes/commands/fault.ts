import { Command } from "commander";
import { loadDefinition } from "../cluster/definition.ts";
import { cluster } from "../cluster/handle.ts";
import { parseEndpoint } from "../faults/endpoint.ts";
import { healNetwork } from "../faults/network.ts";
import { actOn, type Action, type ActionOptions } from "../faults/target.ts";
import { nameOption } from "./options.ts";
import { volumeFaultCommands } from "./volume-fault.ts";

const actions: Array<[action: Action, description: string]> = [
  ["stop", "end a process (SIGTERM), or turn a node off"],
  ["start", "start a process or node that was stopped, and wait until it serves"],
  ["restart", "stop and start"],
  ["freeze", "stop in its tracks (SIGSTOP): connections stay open, nothing answers"],
  ["thaw", "let what was frozen go on"],
  ["kill", "end by SIGKILL"],
];

export function faultCommand(): Command {
  const command = new Command("fault").description("break something, and mend it").addHelpText(
    "after",
    `
A target is
  a process of the cluster, as "status" lists it   kube-apiserver, etcd, node-1/kubelet
  a whole node                                     node/node-1
  a container (by default the pod's first one)     pod/NAMESPACE/NAME, pod/NAMESPACE/NAME/CONTAINER

A volume is pvc/NAMESPACE/NAME, or pod/NAMESPACE/NAME for the first volume of a pod.
An end of a cut is pod/NAMESPACE/NAME, node/NAME, api-server, dns, or host.

Example:
  $ local-kubernetes fault freeze pod/default/mysql-0 --process mysqld
  $ local-kubernetes fault cut pod/default/mysql-0 api-server
  $ local-kubernetes fault heal`,
  );
  for (const [action, description] of actions) {
    command.addCommand(actionCommand(action, description));
  }
  command.addCommand(cutCommand()).addCommand(healCommand());
  for (const each of volumeFaultCommands()) {
    command.addCommand(each);
  }
  return command;
}

function actionCommand(action: Action, description: string): Command {
  const command = new Command(action).description(description).argument("<target>").addOption(nameOption());
  if (action === "freeze" || action === "thaw" || action === "kill") {
    command.option("--process <name>", "in a container, only processes with this name");
  }
  if (action === "kill") {
    command.option("--signal <signal>", "another signal than SIGKILL");
  }
  return command.action(async (target: string, { name, ...options }: ActionOptions & { name: string }) => {
    await actOn(await cluster(name), target, action, options);
  });
}

function cutCommand(): Command {
  return new Command("cut")
    .description("drop all packets between two ends, also of open connections; prints an id")
    .argument("<from>")
    .argument("<to>")
    .option("--one-way", "drop only what goes from the first to the second")
    .addOption(nameOption())
    .action(async (from: string, to: string, { name, oneWay }: { name: string; oneWay?: boolean }) => {
      const { faults } = await cluster(name);
      const { id } = await faults.cut(parseEndpoint(from), parseEndpoint(to), { oneWay });
      console.log(id);
    });
}

function healCommand(): Command {
  return new Command("heal")
    .description("undo one cut, or all of them")
    .argument("[id]")
    .addOption(nameOption())
    .action(async (id: string | undefined, { name }: { name: string }) => {
      const definition = await loadDefinition(name);
      if (definition === undefined) {
        throw new Error(`there is no cluster ${name}`);
      }
      await healNetwork(definition, id);
    });
}
