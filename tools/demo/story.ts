import { apiVersion, MySQLClusters, type MySQLCluster } from "@moco-ts/api";
import { PersistentVolumeClaims, Pods, StatefulSets, type Pod } from "@moco-ts/kube";
import { LivePicture } from "./live.ts";
import { cluster, clusterManifest, replicas } from "./manifests.ts";
import { plugin, run, until, type Stage } from "./stage.ts";
import { Writer } from "./writer.ts";

const selector = `app.kubernetes.io/name=mysql,app.kubernetes.io/instance=${cluster}`;

/** A cluster comes up; a client writes; then one hard thing after the other happens, and the client tells of it. */
export async function tellStory(stage: Stage): Promise<void> {
  const picture = new LivePicture(stage);
  try {
    await stage.narrator.step("A MySQLCluster of three instances", async () => {
      await apply(stage, "4Gi", 1);
      picture.start();
      await until(stage, "the cluster to be healthy", () => isHealthy(stage));
    });
    const writer = await stage.narrator.step("A client that writes through the primary Service", () =>
      Writer.start(stage),
    );
    picture.writer = writer;
    await tellHardThings(stage, writer);
    await picture.stop();
    await tellEnd(stage, writer);
  } finally {
    await picture.stop();
  }
}

async function tellHardThings(stage: Stage, writer: Writer): Promise<void> {
  const { narrator } = stage;

  await narrator.step("A failover: mysqld of the primary is killed", async () => {
    const since = Date.now();
    const before = await primary(stage);
    await run(stage, before, killMysqld);
    narrator.say(`kill -9 of mysqld in ${before}`);
    await writer.goesOn(stage, since);
    await until(stage, "the cluster to be healthy", () => isHealthy(stage));
    narrator.say(`the primary is ${await primary(stage)} now; ${writer.pauses(since)}`);
  });

  await narrator.step("A switchover, as before maintenance of a node", async () => {
    const since = Date.now();
    const before = await primary(stage);
    narrator.say(await plugin(stage, "switchover", cluster));
    await until(stage, "another primary", async () => (await primary(stage)) !== before);
    await writer.goesOn(stage, since);
    narrator.say(`the primary was ${before}, it is ${await primary(stage)} now; ${writer.pauses(since)}`);
  });

  await narrator.step("A rolling update of all Pods, the primary last and handed over first", async () => {
    const since = Date.now();
    await until(stage, "the cluster to be healthy", () => isHealthy(stage));
    await apply(stage, "4Gi", 2);
    await followUpdate(stage);
    await writer.goesOn(stage, since);
    narrator.say(writer.pauses(since));
  });

  await narrator.step("Larger volumes: 4Gi become 5Gi, and no Pod restarts", async () => {
    const since = Date.now();
    const before = await identities(stage);
    await apply(stage, "5Gi", 2);
    await until(stage, "all volumes to have 5Gi", async () => (await sizes(stage)).every((size) => size === "5Gi"));
    await until(stage, "the StatefulSet to be there again", () => isReconciled(stage));
    if ((await identities(stage)) !== before)
      throw new Error("a Pod was restarted, which growing a volume must never do");
    narrator.say(`the same Pods run; ${writer.pauses(since)}`);
  });

  await narrator.step("A disk that fills up: the autoresizer grows it in time", async () => {
    const since = Date.now();
    const name = await primary(stage);
    const claim = `mysql-data-${name}`;
    await run(stage, name, "head -c 3G /dev/zero > /var/lib/mysql/filler");
    narrator.say(`3 GiB written to the volume of ${name}`);
    await until(stage, "the volume to grow", async () => (await sizeOf(stage, claim)) !== "5Gi");
    narrator.say(`${claim} has ${await sizeOf(stage, claim)} now, as pvc-autoresizer asked; ${writer.pauses(since)}`);
    await run(stage, name, "rm /var/lib/mysql/filler");
  });
}

async function tellEnd(stage: Stage, writer: Writer): Promise<void> {
  const { narrator } = stage;
  await narrator.step("Every row that the client was promised", async () => {
    const promised = writer.rows;
    const login = "--defaults-extra-file=/mysql-credentials/moco-readonly-my.cnf --socket=/run/mysqld.sock";
    const output = await run(stage, await primary(stage), `mysql ${login} -BN -e 'SELECT id FROM demo.entries'`);
    const present = new Set(output.split("\n").map(Number));
    const lost = promised.filter((row) => !present.has(row));
    if (lost.length > 0) throw new Error(`${lost.length} rows that were acknowledged are not there`);
    narrator.say(
      `${promised.length} rows were acknowledged, ${writer.failed} were not: all ${promised.length} are there`,
    );
    await show(stage);
  });
}

/** Needs nothing but a shell and cat. */
const killMysqld =
  'for process in /proc/[0-9]*; do [ "$(cat "$process/comm")" != mysqld ] || kill -9 "${process#/proc/}"; done';

async function apply({ client, namespace, image, signal }: Stage, storage: string, version: number): Promise<void> {
  const wanted = { apiVersion, kind: MySQLClusters.kind, ...clusterManifest(namespace, image, storage, version) };
  await client.apply(MySQLClusters, wanted as unknown as MySQLCluster, { fieldManager: "demo", signal });
}

function read({ client, namespace, signal }: Stage): Promise<MySQLCluster> {
  return client.get(MySQLClusters, { namespace, name: cluster }, { signal });
}

async function holds(stage: Stage, type: string): Promise<boolean> {
  const { metadata, status } = await read(stage);
  const condition = status?.conditions?.find((each) => each.type === type);
  return condition?.status === "True" && (condition.observedGeneration ?? metadata.generation) === metadata.generation;
}

const isHealthy = (stage: Stage): Promise<boolean> => holds(stage, "Healthy");
const isReconciled = (stage: Stage): Promise<boolean> => holds(stage, "ReconcileSuccess");

async function primary(stage: Stage): Promise<string> {
  return `moco-${cluster}-${(await read(stage)).status?.currentPrimaryIndex ?? 0}`;
}

async function pods({ client, namespace, signal }: Stage): Promise<Pod[]> {
  return (await client.list(Pods, { namespace, labelSelector: selector, signal })).items;
}

async function identities(stage: Stage): Promise<string> {
  const all = (await pods(stage)).map(({ metadata, status }) => {
    const restarts = status?.containerStatuses?.map(({ restartCount }) => restartCount);
    return `${metadata?.name} ${metadata?.uid} ${restarts?.join()}`;
  });
  return all.sort().join("\n");
}

/** Tells of each Pod that is replaced, until all are. */
async function followUpdate(stage: Stage): Promise<void> {
  const { client, namespace, narrator, signal } = stage;
  const known = new Map((await pods(stage)).map(({ metadata }) => [metadata?.name, metadata?.uid]));
  let before = await primary(stage);
  await until(stage, "all Pods to be updated", async () => {
    for (const { metadata } of await pods(stage)) {
      if (known.get(metadata?.name) === metadata?.uid) continue;
      known.set(metadata?.name, metadata?.uid);
      narrator.say(`${metadata?.name} is replaced`);
    }
    const now = await primary(stage);
    if (now !== before) narrator.say(`the primary is ${now} now, it was ${before}`);
    before = now;
    const { metadata, status } = await client.get(StatefulSets, { namespace, name: `moco-${cluster}` }, { signal });
    const isSeen = status?.observedGeneration === metadata?.generation && (await isReconciled(stage));
    return isSeen && status?.updatedReplicas === replicas && status.readyReplicas === replicas;
  });
  await until(stage, "the cluster to be healthy", () => isHealthy(stage));
}

async function sizes(stage: Stage): Promise<(string | undefined)[]> {
  const names = Array.from({ length: replicas }, (_, ordinal) => `mysql-data-moco-${cluster}-${ordinal}`);
  return Promise.all(names.map((name) => sizeOf(stage, name)));
}

async function sizeOf({ client, namespace, signal }: Stage, name: string): Promise<string | undefined> {
  const { status } = await client.get(PersistentVolumeClaims, { namespace, name }, { signal });
  return status?.capacity?.["storage"];
}

async function show(stage: Stage): Promise<void> {
  const picture = await plugin(stage, "status", cluster);
  for (const line of picture.split("\n")) stage.narrator.say(line);
}
