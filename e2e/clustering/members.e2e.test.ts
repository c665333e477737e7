/** Members come, go astray and lose their disks while clients write. One cluster lives through all of it, in this order. */
import { annotationKeys, labelKeys } from "@moco-ts/api";
import type { Pod } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  conditionOf,
  manifest,
  patience,
  Plugin,
  slowness,
  startOperatorCluster,
  systemNamespace,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { eventsOf, primaryOf, replicasOf, serverUuid, statusOf, waitForVoters, writeAstray } from "./looks.ts";
import { watchRecord } from "./record-watch.ts";

const name = "grown";
let operator: OperatorCluster;
let plugin: Plugin;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "members" });
  plugin = await Plugin.install(operator);
  await operator.apply(manifest({ name }));
  await waitForCondition(operator, name, "Healthy");
});
afterAll(() => operator?.down());

const pod = (ordinal: number): string => `moco-${name}-${ordinal}`;

/** Milliseconds. Less than any clone or restart takes that writers might have to wait for; a busy machine breathes long. */
const longestPause = 12_000;

/** Runs while clients write: they wait for a moment at most, and nothing that they were told of is lost. */
async function whileWriting(work: (writer: Writer) => Promise<void>): Promise<void> {
  const writer = await Writer.start(operator, name);
  await work(writer);
  await writer.writesAgain(Date.now());
  const { acknowledged, lost, pauses } = await writer.stop();
  expect(lost).toEqual([]);
  expect(acknowledged).toBeGreaterThan(20);
  console.info(`${acknowledged} rows acknowledged, longest pauses ${pauses.slice(0, 3).join(", ")} ms`);
  expect(pauses[0]).toBeLessThan(longestPause * slowness);
}

async function countRows(ordinal: number): Promise<string> {
  return operator.query(pod(ordinal), "SELECT COUNT(*) FROM ledger.rows");
}

/** Everybody has what the primary has. */
async function allRowsEverywhere(): Promise<void> {
  const expected = await countRows(await primaryOf(operator, name));
  for (const ordinal of await replicasOf(operator, name)) {
    await expect.poll(() => countRows(ordinal), patience).toBe(expected);
  }
}

test("one instance becomes three, then five, and writers hardly notice", async () => {
  await whileWriting(async (writer) => {
    for (const replicas of [3, 5]) {
      const record = watchRecord(operator, name);
      await operator.patch(name, { replicas });
      await waitForVoters(operator, name, replicas);
      expect(await record.stop()).toEqual([]);
      const semiSync = "SELECT @@rpl_semi_sync_source_enabled, @@rpl_semi_sync_source_wait_for_replica_count";
      const primary = pod(await primaryOf(operator, name));
      expect(await operator.query(primary, semiSync)).toBe(`1\t${(replicas - 1) / 2}`);
      await writer.writesAgain(Date.now());
    }
  });
  await allRowsEverywhere();
  expect(await eventsOf(operator, name, "CloneFailed")).toEqual([]);
});

test("five instances hand over to the one that is asked for", async () => {
  await whileWriting(async () => {
    const { code, errors } = await plugin.run(["switchover", name, "--to", "3", "--wait"]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(await primaryOf(operator, name)).toBe(3);
    await waitForVoters(operator, name, 5);
  });
});

test("a replica that somebody wrote to takes no part until it is cloned again", async () => {
  const [ordinal] = await replicasOf(operator, name);
  const uuid = await serverUuid(operator, pod(ordinal!));
  await whileWriting(async () => {
    await writeAstray(operator, pod(ordinal!), "astray");
    await expect
      .poll(() => statusOf(operator, name), patience)
      .toMatchObject({ errantReplicas: 1, errantReplicaList: [ordinal] });
    const told = () => eventsOf(operator, name, "ErrantReplica");
    await expect
      .poll(told, patience)
      .toEqual([expect.stringMatching(`Instance ${ordinal} has .*kubectl moco reclone`)]);
    const voters = async () => (await statusOf(operator, name)).clustering?.voters;
    await expect.poll(voters, patience).not.toContain(uuid);
    const roles = `SELECT @@rpl_semi_sync_replica_enabled, SERVICE_STATE FROM performance_schema.replication_connection_status`;
    expect(await operator.query(pod(ordinal!), roles)).toBe("0\tOFF");
    const { metadata } = await operator.get<Pod>("pod", pod(ordinal!));
    expect(metadata?.labels).not.toHaveProperty([labelKeys.role]);

    expect(await plugin.run(["reclone", pod(ordinal!), "--yes"])).toMatchObject({ code: 0 });
    await waitForVoters(operator, name, 5);
    expect(await statusOf(operator, name)).not.toHaveProperty("errantReplicaList");
  });
  expect(await operator.query(pod(ordinal!), "SHOW DATABASES LIKE 'astray'")).toBe("");
  await allRowsEverywhere();
});

test("with the annotation, replicas that somebody wrote to are cloned again by themselves", async () => {
  const some = (await replicasOf(operator, name)).slice(-2);
  const uuids = await Promise.all(some.map((ordinal) => serverUuid(operator, pod(ordinal))));
  await operator.kubectl("annotate", "mysqlcluster", name, `${annotationKeys.autoRecloneErrant}=true`);
  await whileWriting(async () => {
    await Promise.all(some.map((ordinal) => writeAstray(operator, pod(ordinal), "astray")));
    const voters = async () => (await statusOf(operator, name)).clustering!.voters;
    for (const uuid of uuids) await expect.poll(voters, patience).not.toContain(uuid);
    await waitForVoters(operator, name, 5);
  });
  for (const ordinal of some) expect(await operator.query(pod(ordinal), "SHOW DATABASES LIKE 'astray'")).toBe("");
  await allRowsEverywhere();
});

/** If nobody looked when it ended, a person has to say that it did. */
async function vouchForEnd(uuid: string): Promise<void> {
  const healthy = await conditionOf(operator, name, "Healthy");
  if (healthy?.message?.includes(`${uuid} is lost`)) await plugin.run(["forget", name, uuid, "--yes"]);
}

test("a replica that lost its volume is cloned anew", async () => {
  const [, ordinal] = await replicasOf(operator, name);
  const uuid = await serverUuid(operator, pod(ordinal!));
  await whileWriting(async () => {
    await operator.kubectl("delete", "pvc", `mysql-data-${pod(ordinal!)}`, "--wait=false");
    await operator.kubectl("delete", "pod", pod(ordinal!));
    const voters = async () => {
      if (process.env["KILL"]) await vouchForEnd(uuid);
      return (await statusOf(operator, name)).clustering!.voters;
    };
    await expect.poll(voters, patience).not.toContain(uuid);
    await waitForVoters(operator, name, 5);
  });
  expect(await serverUuid(operator, pod(ordinal!))).not.toBe(uuid);
  await allRowsEverywhere();
});

test("a replica that was lost while nobody looked stands in the way of failovers until a person vouches for its end", async () => {
  const small = "small";
  const replica = "moco-small-2";
  await operator.apply(manifest({ name: small, replicas: 3 }));
  await waitForVoters(operator, small, 3);
  const uuid = await serverUuid(operator, replica);
  const controllers = (replicas: number) =>
    operator.kubectl("scale", "deployment", "moco-controller", "-n", systemNamespace, `--replicas=${replicas}`);
  await controllers(0);
  await operator.kubectl("wait", "--for=delete", "pod", "--all", "-n", systemNamespace, "--timeout=120s");
  const { metadata } = await operator.get<Pod>("pod", replica);
  await operator.kubectl("delete", "pvc", `mysql-data-${replica}`, "--wait=false");
  await operator.kubectl("delete", "pod", replica, "--force");
  const uid = async () => (await operator.get<Pod>("pod", replica).catch(() => undefined))?.metadata?.uid;
  await expect.poll(uid, patience).not.toBe(metadata?.uid);
  await controllers(2);

  const healthy = async () => {
    const condition = await conditionOf(operator, small, "Healthy");
    return `${condition?.status}: ${condition?.message}`;
  };
  await expect.poll(healthy, patience).toMatch(new RegExp(`^False: .*${uuid} is lost .*kubectl moco forget`));
  await waitForCondition(operator, small, "Available");
  expect(await plugin.run(["forget", small, uuid, "--yes"])).toMatchObject({ code: 0 });
  await waitForVoters(operator, small, 3);
  const word = `jsonpath={.metadata.annotations.${annotationKeys.endedServers.replaceAll(".", "\\.")}}`;
  await expect.poll(() => operator.kubectl("get", "mysqlcluster", small, "-o", word), patience).toBe("");
});
