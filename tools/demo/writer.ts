import { Pods } from "@moco-ts/kube";
import { writerPod } from "./manifests.ts";
import { seconds } from "./narrator.ts";
import { until, type Stage } from "./stage.ts";

/** Milliseconds. Writes that take longer than that are worth telling of. */
const noticeable = 500;

/** A Pod that writes rows without end, and what it was told of each. */
export class Writer {
  readonly #acknowledged: { readonly at: number; readonly row: number }[] = [];
  #failed = 0;
  /** When the last row was acknowledged, by our own clock. */
  #heard = performance.now();

  /** Resolves when rows are being written. */
  static async start(stage: Stage): Promise<Writer> {
    const { client, namespace, image, signal } = stage;
    const writer = new Writer();
    await client.create(Pods, writerPod(namespace, image), { signal });
    const key = { namespace, name: "writer" };
    await until(stage, "the writer to run", async () => {
      const { status } = await client.get(Pods, key, { signal });
      return status?.phase === "Running";
    });
    // Ends with the story.
    void writer.#follow(stage).catch(() => undefined);
    await until(stage, "the first row", async () => writer.rows.length > 0);
    return writer;
  }

  get rows(): readonly number[] {
    return this.#acknowledged.map(({ row }) => row);
  }

  get failed(): number {
    return this.#failed;
  }

  /** How it is at this moment, in words. */
  get now(): string {
    const waiting = performance.now() - this.#heard;
    const rows = `${this.#acknowledged.length} rows acknowledged`;
    return `The writer: ${rows}${waiting > noticeable ? `, waiting for ${seconds(this.#heard)}` : ""}`;
  }

  /** What clients noticed since then, in words. */
  pauses(since: number): string {
    const times = this.#acknowledged.map(({ at }) => at).filter((at) => at >= since - noticeable);
    const gaps = times.slice(1).map((at, index) => at - times[index]!);
    const long = gaps.filter((gap) => gap > noticeable).map((gap) => `${(gap / 1000).toFixed(1)} s`);
    return long.length === 0 ? "the writer noticed nothing" : `the writer had to wait: ${long.join(", ")}`;
  }

  /** Until rows are written after this moment. */
  async goesOn(stage: Stage, since: number): Promise<void> {
    await until(stage, "the writer to go on", async () => (this.#acknowledged.at(-1)?.at ?? 0) > since + 1_000);
  }

  async #follow({ streams, namespace, signal }: Stage): Promise<void> {
    let rest = "";
    for await (const chunk of streams.logs({ namespace, name: "writer" }, { follow: true, signal })) {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const [at, answer, row] = line.split(" ");
        if (answer === "acknowledged") {
          this.#acknowledged.push({ at: Number(at), row: Number(row) });
          this.#heard = performance.now();
        }
        if (answer === "failed") this.#failed++;
      }
    }
  }
}
