import { Command } from "commander";
import { readFileSync } from "node:fs";
import { clusterNames } from "../cluster/definition.ts";
import { cluster, type Cluster } from "../cluster/handle.ts";

export function statusCommand(): Command {
  return new Command("status")
    .description("show the clusters of this machine and their processes")
    .option("--name <name>", "only this cluster")
    .action(async ({ name }: { name?: string }) => {
      const names = name === undefined ? await clusterNames() : [name];
      if (names.length === 0) {
        console.log('no cluster: run "local-kubernetes up"');
      }
      for (const each of names) {
        print(await cluster(each));
      }
    });
}

function print(cluster: Cluster): void {
  console.log(`${cluster.name}  ${cluster.server}`);
  console.log(`  KUBECONFIG=${cluster.kubeconfigPath}`);
  if (cluster.auditLogPath !== undefined) {
    console.log(`  audit log: ${cluster.auditLogPath}`);
  }
  for (const [name, { pid }] of cluster.processes) {
    const state = pid === undefined ? "stopped" : `pid ${pid}`.padEnd(14) + memory(pid);
    console.log(`  ${name.padEnd(26)} ${state}`);
  }
  console.log("");
}

function memory(pid: number): string {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return kilobytes === undefined ? "" : `${Math.round(Number(kilobytes) / 1024)} MiB`;
}
