import { setTimeout as sleep } from "node:timers/promises";
import { Writable } from "node:stream";
import { PersistentVolumeClaims, Pods, type Client, type PodStreams } from "@moco-ts/kube";
import { claim, mysqlPod } from "./manifests.ts";
import type { Narrator } from "./narrator.ts";

export interface Stage {
  readonly client: Client;
  readonly streams: PodStreams;
  readonly narrator: Narrator;
  readonly namespace: string;
  /** mysqld as a user of number 10000, with a shell. */
  readonly image: string;
  readonly signal: AbortSignal;
}

/** mysqld on a volume of 1 GiB, some rows, and the volume grown under it. */
export async function tellStory(stage: Stage): Promise<void> {
  const { client, narrator, namespace, image, signal } = stage;
  const claimKey = { namespace, name: "mysql-data" };

  await narrator.step("A mysqld pod on an expandable volume of 1 GiB", async () => {
    await client.create(PersistentVolumeClaims, claim(namespace, "1Gi"), { signal });
    await client.create(Pods, mysqlPod(namespace, image), { signal });
    await until(stage, "the pod to be Ready", async () => {
      const { status } = await client.get(Pods, podOf(stage), { signal });
      return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    });
    narrator.say(`mysqld ${await query(stage, "SELECT VERSION()")} answers`);
  });

  await narrator.step("A table with 10,000 rows", async () => {
    await query(stage, "CREATE DATABASE demo; CREATE TABLE demo.t (id INT AUTO_INCREMENT PRIMARY KEY, text CHAR(200))");
    await query(stage, `INSERT INTO demo.t (text) ${tenThousand}`);
    narrator.say(`rows: ${await query(stage, "SELECT COUNT(*) FROM demo.t")}`);
    narrator.say(`volume: ${await freeSpace(stage)}`);
  });

  await narrator.step("The volume grown to 2 GiB while mysqld runs", async () => {
    const before = await uptime(stage);
    const body = { spec: claim(namespace, "2Gi").spec };
    await client.patch(PersistentVolumeClaims, claimKey, { type: "merge", body }, { signal });
    await until(stage, "the claim to report 2Gi", async () => {
      const { status } = await client.get(PersistentVolumeClaims, claimKey, { signal });
      return status?.capacity?.["storage"] === "2Gi";
    });
    const after = await uptime(stage);
    if (after < before) throw new Error("mysqld was restarted, which growing a volume must never do");
    narrator.say(`volume: ${await freeSpace(stage)}`);
    narrator.say(`mysqld was not restarted: up for ${after} s, before the growth ${before} s`);
    narrator.say(`rows: ${await query(stage, "SELECT COUNT(*) FROM demo.t")}`);
  });
}

const digits =
  "(SELECT 0 d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";
const tenThousand = `SELECT REPEAT('x', 200) FROM ${["a", "b", "c", "d"].map((name) => `${digits} ${name}`).join(", ")}`;

async function uptime(stage: Stage): Promise<number> {
  const row = await query(stage, "SHOW STATUS LIKE 'Uptime'");
  return Number(row.split("\t")[1]);
}

function query(stage: Stage, sql: string): Promise<string> {
  return run(stage, ["mysql", "--socket=/run/mysqld.sock", "--user=root", "--batch", "--skip-column-names", "-e", sql]);
}

async function freeSpace(stage: Stage): Promise<string> {
  const output = await run(stage, ["df", "--human-readable", "--output=size,used,pcent", "/var/lib/mysql"]);
  const [size, used, percent] = output.split("\n")[1]?.trim().split(/\s+/) ?? [];
  return `${size} in size, ${used} (${percent}) used`;
}

function podOf({ namespace }: Stage): { namespace: string; name: string } {
  return { namespace, name: "mysql" };
}

async function run(stage: Stage, command: readonly string[]): Promise<string> {
  const [output, errors] = [new Capture(), new Capture()];
  const { streams, signal } = stage;
  const code = await streams.exec(podOf(stage), "mysqld", command, { stdout: output, stderr: errors, signal });
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${errors.text.trim()}`);
  return output.text.trim();
}

class Capture extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.text += chunk.toString();
    callback();
  }
}

async function until(stage: Stage, what: string, condition: () => Promise<boolean | undefined>): Promise<void> {
  const deadline = performance.now() + 180_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited three minutes in vain for ${what}`);
    await sleep(200, undefined, { signal: stage.signal });
  }
}
