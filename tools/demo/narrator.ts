import { styleText } from "node:util";
import { Area } from "./area.ts";

/** Tells a person what happens, with the time that each step took. */
export class Narrator {
  /** True if there is a place for a picture that moves. */
  readonly isLive = process.stdout.isTTY;
  readonly #began = performance.now();
  readonly #area = this.isLive ? new Area(process.stdout) : undefined;
  #steps = 0;

  async step<T>(title: string, work: () => Promise<T>): Promise<T> {
    const number = ++this.#steps;
    this.print(`\n${styleText("bold", `${number}. ${title}`)}`);
    const began = performance.now();
    try {
      const result = await work();
      this.print(styleText("green", `   done in ${seconds(began)}`));
      return result;
    } catch (error) {
      this.print(styleText("red", `   failed after ${seconds(began)}`));
      throw error;
    }
  }

  say(line: string): void {
    this.print(`   ${line}`);
  }

  print(text: string): void {
    if (this.#area) this.#area.print(text);
    else console.log(text);
  }

  /** Shows lines below all that is told, in place of those before. No lines: none. */
  show(lines: readonly string[]): void {
    this.#area?.draw(lines.map((line) => `   ${line}`));
  }

  end(lines: readonly string[]): void {
    this.print(`\n${styleText("bold", `The whole demo took ${seconds(this.#began)}.`)}`);
    for (const line of lines) this.print(line);
  }
}

export function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
