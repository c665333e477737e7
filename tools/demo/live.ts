import { spawn } from "node:child_process";
import { once } from "node:events";
import { cluster } from "./manifests.ts";
import { seconds } from "./narrator.ts";
import { pluginCommand, type Stage } from "./stage.ts";
import type { Writer } from "./writer.ts";

/** Milliseconds between two pictures. */
const pace = 200;

/**
 * `kubectl moco status -w` beside the story. A terminal shows its picture and how the writer is, in place; elsewhere
 * each change of the cluster's state is a line.
 */
export class LivePicture {
  /** Once there is one. */
  writer: Writer | undefined;
  readonly #stage: Stage;
  readonly #ending = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** The MySQLCluster has to be there. */
  start(): void {
    const { narrator } = this.#stage;
    const { file, args, env } = pluginCommand(this.#stage, "status", cluster, "--watch");
    const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "ignore"] });
    const began = performance.now();
    let [output, state] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output = lastPicture(output + text);
      const now = stateIn(output);
      if (narrator.isLive || now === undefined || now === state) return;
      state = now;
      narrator.say(`${seconds(began).padStart(8)}  ${state}`);
    });
    // The writer goes first: a picture may be higher than the terminal.
    const draw = (): void =>
      narrator.show(["", ...(this.writer ? [this.writer.now, ""] : []), ...output.trimEnd().split("\n")]);
    const drawing = setInterval(draw, pace);
    this.#ending.signal.addEventListener("abort", () => {
      clearInterval(drawing);
      narrator.show([]);
      child.kill("SIGINT");
    });
    this.#ended = once(child, "close").then(() => undefined);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#ended;
  }
}

// eslint-disable-next-line no-control-regex -- it may be in bold.
const beginning = /^(\x1b\[1m)?MySQLCluster /gm;

/** Pictures come one after the other. Each begins with the cluster's name. */
export function lastPicture(output: string): string {
  return output.slice([...output.matchAll(beginning)].at(-1)?.index ?? 0);
}

/** The first two lines of a picture, once they are whole. */
export function stateIn(picture: string): string | undefined {
  return /^MySQLCluster \S+ +(?<state>.+)\n(?<facts>.*)\n\n/
    .exec(picture)
    ?.slice(1)
    .filter((part) => part !== "")
    .join(": ");
}
