import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bundle } from "@moco-ts/bundle";
import { buildImages, loadImages } from "@moco-ts/local-kubernetes";
import { primaryPod } from "../faults.ts";
import type { OperatorCluster } from "../operator-cluster.ts";
import { slowness } from "../pods.ts";

const image = "localhost/moco-ts/writer:dev";
/** Milliseconds that are read twice, since a line is logged later than it was made, and logs know seconds only. */
const overlap = 3_000;

/** What a client was told. */
export interface Line {
  readonly at: number;
  readonly id: number;
  readonly acknowledged: boolean;
  readonly problem?: string;
}

/** What became of what a client was told. */
export interface Ledger {
  readonly acknowledged: number;
  readonly refused: number;
  /** Acknowledged rows that the primary does not have. */
  readonly lost: readonly number[];
  /** Milliseconds without an acknowledged write, longest first. */
  readonly pauses: readonly number[];
}

/** A Pod that writes to a cluster without end. */
export class Writer {
  readonly #operator: OperatorCluster;
  readonly #cluster: string;
  /** By row: all that were ever read, since logs are rotated. */
  readonly #lines = new Map<number, Line>();
  #newest = 0;

  private constructor(operator: OperatorCluster, cluster: string) {
    this.#operator = operator;
    this.#cluster = cluster;
  }

  /** Resolves when rows are being written. `node`: where it runs; default: anywhere. */
  static async start(operator: OperatorCluster, cluster: string, node?: string): Promise<Writer> {
    await provideImage(operator);
    await operator.apply(podOf(cluster, node));
    const writer = new Writer(operator, cluster);
    await writer.waitFor((lines) => lines.some(({ acknowledged }) => acknowledged));
    return writer;
  }

  async lines(): Promise<Line[]> {
    const since = new Date(Math.max(0, this.#newest - overlap)).toISOString();
    const output = await this.#operator.kubectl("logs", nameOf(this.#cluster), `--since-time=${since}`);
    for (const text of output.split("\n").filter((each) => each.includes('"id"'))) {
      const line = JSON.parse(text) as Line;
      this.#lines.set(line.id, line);
      this.#newest = Math.max(this.#newest, line.at);
    }
    return [...this.#lines.values()].sort((one, other) => one.at - other.at);
  }

  async waitFor(isThere: (lines: Line[]) => boolean, limit = 120_000): Promise<Line[]> {
    const end = Date.now() + limit * slowness;
    for (;;) {
      const lines = await this.lines().catch(() => []);
      if (isThere(lines)) return lines;
      if (Date.now() > end) throw new Error(`the writer did not get so far: ${JSON.stringify(lines.slice(-3))}`);
      await delay(200);
    }
  }

  /** The first row that was acknowledged after this moment. */
  async writesAgain(since: number, limit?: number): Promise<Line> {
    const isAfter = ({ acknowledged, at }: Line): boolean => acknowledged && at > since;
    return (await this.waitFor((lines) => lines.some(isAfter), limit)).find(isAfter)!;
  }

  /** Waits until rows are written again for a while after this moment. Returns the longest time without one. */
  async longestPause(since: number, limit?: number): Promise<number> {
    const isAfter = ({ acknowledged, at }: Line): boolean => acknowledged && at > since;
    await this.writesAgain(since + 4_000, limit);
    const lines = await this.waitFor((all) => settled(all.filter(isAfter)), limit);
    const before = lines.findLast(({ acknowledged, at }) => acknowledged && at <= since);
    return pausesOf([...(before ? [before] : []), ...lines.filter(isAfter)])[0] ?? 0;
  }

  /** Ends it and compares what it was told with what the primary has. */
  async stop(): Promise<Ledger> {
    const lines = await this.lines();
    await this.#operator.kubectl("delete", "pod", nameOf(this.#cluster), "--wait=true");
    const ids = await this.#rows();
    const present = new Set(ids);
    if (present.size < ids.length) throw new Error(`${ids.length - present.size} rows are there more than once`);
    const acknowledged = lines.filter((line) => line.acknowledged);
    return {
      acknowledged: acknowledged.length,
      refused: lines.length - acknowledged.length,
      lost: acknowledged.map(({ id }) => id).filter((id) => !present.has(id)),
      pauses: pausesOf(acknowledged),
    };
  }

  /** Of the instance that is open for writes: the status may name one that has ended since a controller was alive. */
  async #rows(): Promise<number[]> {
    for (const end = Date.now() + 120_000 * slowness; ; await delay(200)) {
      const primary = await primaryPod(this.#operator, this.#cluster);
      const look = this.#operator.query(primary, "SELECT @@read_only; SELECT id FROM ledger.rows");
      const answer = await look.catch((error: unknown) => String(error));
      const [isReadOnly, ...ids] = answer.split("\n");
      if (isReadOnly === "0") return ids.map(Number);
      if (Date.now() > end) throw new Error(`${primary} is not open for writes: ${answer.slice(0, 500)}`);
    }
  }
}

/** The last second has had no gap in it. */
function settled(acknowledged: readonly Line[]): boolean {
  const last = acknowledged.at(-1);
  return last !== undefined && acknowledged.filter(({ at }) => at > last.at - 1_000).length >= 20;
}

/** Gaps between acknowledged writes, longest first. */
export function pausesOf(acknowledged: readonly Line[]): number[] {
  const gaps = acknowledged.slice(1).map(({ at }, index) => at - acknowledged[index]!.at);
  return gaps.sort((one, other) => other - one);
}

function nameOf(cluster: string): string {
  return `writer-${cluster}`;
}

function podOf(cluster: string, nodeName?: string): object {
  const secretKeyRef = { name: `moco-${cluster}`, key: "WRITABLE_PASSWORD" };
  const env = [
    { name: "HOST", value: `moco-${cluster}-primary.default.svc` },
    { name: "PASSWORD", valueFrom: { secretKeyRef } },
  ];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: nameOf(cluster), namespace: "default" },
    spec: {
      // Nodes with too little memory don't take Pods that ask for nothing.
      containers: [
        { name: "writer", image, imagePullPolicy: "Never", env, resources: { requests: { memory: "64Mi" } } },
      ],
      terminationGracePeriodSeconds: 1,
      ...(nodeName !== undefined && { nodeName }),
    },
  };
}

async function provideImage({ local }: OperatorCluster): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "writer-"));
  try {
    await mkdir(join(folder, "writer"));
    await copyFile(join(import.meta.dirname, "Containerfile"), join(folder, "writer", "Containerfile"));
    await bundle(join(import.meta.dirname, "main.ts"), join(folder, "writer", "main.js"));
    await buildImages({ folder, names: ["writer"] });
    await loadImages(local.nodes, [image]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
