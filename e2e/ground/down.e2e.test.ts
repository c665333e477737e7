import { afterEach, expect, test } from "vitest";
import { down, up, type Cluster } from "@moco-ts/local-kubernetes";
import { apply, claim, untilPodsReady, webPod } from "./pods.ts";
import { machineSnapshot } from "./snapshot.ts";

const name = "ground-down";

// In case of a test that failed before it came to it.
afterEach(() => down(name, { report: () => {} }));

test("a cluster that is brought down leaves nothing behind", async () => {
  const before = await machineSnapshot();
  const cluster = await up({ name, nodes: 2 });
  await apply(
    cluster,
    claim("data"),
    webPod({ name: "first", node: "node-1", claim: "data" }),
    webPod({ name: "second", node: "node-2" }),
  );
  await untilPodsReady(cluster, "first", "second");
  const during = added(await machineSnapshot(), before);
  const kinds = ["process", "mount", "loop device", "network namespace", "interface", "route", "control group", "file"];
  for (const kind of kinds) {
    expect(during.filter((line) => line.startsWith(kind))).not.toEqual([]);
  }

  await down(name);
  const after = await machineSnapshot();
  expect(during.filter((line) => after.has(line) && isOurs(line, cluster))).toEqual([]);
  expect(added(after, before).filter((line) => isOurs(line, cluster))).toEqual([]);
});

test("down ends what was cut off, frozen and half started too", async () => {
  const before = await machineSnapshot();
  const cluster = await up({ name, nodes: 2 });
  await apply(cluster, webPod({ name: "first", node: "node-1" }));
  await untilPodsReady(cluster, "first");
  await cluster.faults.cut({ node: "node-1" }, { node: "node-2" });
  cluster.nodes[0]?.freeze();
  cluster.etcd.freeze();
  await cluster.apiServer.stop("SIGKILL");
  await down(name);
  expect(added(await machineSnapshot(), before).filter((line) => isOurs(line, cluster))).toEqual([]);
});

function added(now: Set<string>, before: Set<string>): string[] {
  return [...now].filter((line) => !before.has(line));
}

/** Other programs of the machine come and go meanwhile. What is ours has our name, our network or our kind of name. */
function isOurs(line: string, cluster: Cluster): boolean {
  const network = cluster.hostAddress.split(".").slice(0, 2).join(".");
  return (
    line.includes(name) ||
    line.includes(`${network}.`) ||
    line.startsWith(`interface lk-${network.split(".")[1]}`) ||
    /containerd-shim|file \/run\/containerd\/s|file \/var\/lib\/kubelet|file \/var\/log|packet filter/.test(line)
  );
}
