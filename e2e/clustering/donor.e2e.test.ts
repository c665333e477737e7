/** A cluster that clones another one and follows it, until it is let go: how people move into a cluster, or out of one. */
import type { Secret } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  conditionOf,
  manifest,
  patience,
  podsOf,
  primaryPod,
  startOperatorCluster,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { eventsOf, primaryOf, statusOf, waitForVoters } from "./looks.ts";

const donor = "donor";
const follower = "follower";
let operator: OperatorCluster;
let writer: Writer;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "donors" });
  await operator.apply(manifest({ name: donor, replicas: 3 }));
  await waitForCondition(operator, donor, "Healthy");
  writer = await Writer.start(operator, donor);
});
afterAll(() => operator?.down());

const countRows = async (cluster: string, ordinal: number): Promise<number> =>
  Number(await operator.query(`moco-${cluster}-${ordinal}`, "SELECT COUNT(*) FROM ledger.rows"));

/** For `expect.poll`: how many of the rows that the donor has now the instances of the follower lack. */
async function missing(): Promise<() => Promise<number>> {
  const expected = await countRows(donor, await primaryOf(operator, donor));
  return async () => {
    const counts = await Promise.all([0, 1, 2].map((ordinal) => countRows(follower, ordinal)));
    return counts.reduce((sum, count) => sum + Math.max(expected - count, 0), 0);
  };
}

/** Users by whom a cluster of its own passwords may be cloned, followed, and filled with the follower's users. */
async function createUsers(): Promise<void> {
  const statements = [
    "CREATE USER 'copier'@'%' IDENTIFIED BY 'copy-it'",
    "GRANT BACKUP_ADMIN, REPLICATION SLAVE ON *.* TO 'copier'@'%'",
    "CREATE USER 'init'@'localhost' IDENTIFIED BY 'init-it'",
    "GRANT ALL ON *.* TO 'init'@'localhost' WITH GRANT OPTION",
    "GRANT PROXY ON ''@'' TO 'init'@'localhost' WITH GRANT OPTION",
  ];
  await operator.query(await primaryPod(operator, donor), statements.join("; "));
}

const source: Secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "source", namespace: "default" },
  stringData: {
    HOST: `moco-${donor}-primary.default.svc`,
    PORT: "3306",
    USER: "copier",
    PASSWORD: "copy-it",
    INIT_USER: "init",
    INIT_PASSWORD: "init-it",
  },
};

test("a cluster clones another one that takes writes", async () => {
  await createUsers();
  await operator.apply(source);
  // As the webhook would choose it: a server does not replicate from one with its own id.
  const spec = { replicationSourceSecretName: "source", serverIDBase: 200 };
  await operator.apply(manifest({ name: follower, replicas: 3, spec }));
  const reason = async () => (await conditionOf(operator, follower, "Healthy"))?.reason;
  await expect.poll(reason, patience).toBe("Cloning");
  expect(await conditionOf(operator, follower, "Initialized")).toMatchObject({ status: "False" });
  await waitForCondition(operator, follower, "Healthy");
  expect(await statusOf(operator, follower)).toMatchObject({ cloned: true });
  await expect.poll(await missing(), patience).toBe(0);
});

// A controller that was killed meanwhile can't tell anybody.
test.skipIf("KILL" in process.env)("people are told of the clone", async () => {
  expect(await eventsOf(operator, follower, "InitCloned")).toEqual(["Clone from an external mysqld succeeded"]);
});

test("nobody can write to it, and it asks for no acknowledgements", async () => {
  const states = "SELECT @@super_read_only, @@rpl_semi_sync_source_enabled, @@rpl_semi_sync_replica_enabled";
  for (const ordinal of [0, 1, 2]) expect(await operator.query(`moco-${follower}-${ordinal}`, states)).toBe("1\t0\t0");
  const write = "INSERT INTO ledger.rows (id) VALUES (1)";
  await expect(operator.query(await primaryPod(operator, follower), write, "moco-writable")).rejects.toThrow(
    /read-only/,
  );
});

test("it goes on following when its source switches over, and when it switches over itself", async () => {
  for (const cluster of [donor, follower]) {
    const before = await primaryPod(operator, cluster);
    await operator.kubectl("annotate", "pod", before, "moco.cybozu.com/demote=true");
    await expect.poll(() => primaryPod(operator, cluster), patience).not.toBe(before);
    await waitForCondition(operator, cluster, "Healthy");
    await writer.writesAgain(Date.now());
    await expect.poll(await missing(), patience).toBe(0);
  }
});

test("it goes on following after its own primary was killed", async () => {
  const name = await primaryPod(operator, follower);
  await operator.local.faults.kill({ namespace: "default", name, container: "mysqld", process: "mysqld" });
  await writer.writesAgain(Date.now());
  await expect.poll(await missing(), patience).toBe(0);
  await waitForCondition(operator, follower, "Healthy");
});

test("a source that goes away and comes back is followed again", async () => {
  await operator.patch(donor, { offline: true });
  await expect.poll(() => podsOf(operator, donor), patience).toEqual([]);
  await operator.patch(donor, { offline: false });
  await waitForVoters(operator, donor, 3);
  await writer.writesAgain(Date.now());
  await expect.poll(await missing(), patience).toBe(0);
  await waitForCondition(operator, follower, "Healthy");
});

test("once it is let go, it takes writes of its own, which its replicas acknowledge", async () => {
  const ledger = await writer.stop();
  expect(ledger.lost).toEqual([]);
  await expect.poll(await missing(), patience).toBe(0);
  const rows = await countRows(donor, await primaryOf(operator, donor));
  await operator.patch(follower, { replicationSourceSecretName: null });
  await waitForVoters(operator, follower, 3);
  const primary = await primaryPod(operator, follower);
  const semiSync = "SELECT @@read_only, @@rpl_semi_sync_source_enabled, @@rpl_semi_sync_source_wait_for_replica_count";
  expect(await operator.query(primary, semiSync)).toBe("0\t1\t1");
  expect(await operator.query(primary, "SHOW REPLICA STATUS")).toBe("");
  const own = await Writer.start(operator, follower);
  await own.writesAgain(Date.now() + 1_000);
  expect(await countRows(donor, await primaryOf(operator, donor))).toBe(rows);
  const before = await primaryOf(operator, follower);
  const name = `moco-${follower}-${before}`;
  await operator.kubectl("annotate", "mysqlcluster", follower, "moco.cybozu.com/auto-reclone-errant=true");
  await operator.local.faults.kill({ namespace: "default", name, container: "mysqld", process: "mysqld" });
  await own.writesAgain(Date.now() + 1_000);
  await waitForVoters(operator, follower, 3);
  const { lost, acknowledged } = await own.stop();
  expect(lost).toEqual([]);
  expect(acknowledged).toBeGreaterThan(20);
  expect(await countRows(follower, await primaryOf(operator, follower))).toBeGreaterThan(rows);
});
