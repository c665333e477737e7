import { styleText } from "node:util";

/** Tells a person what happens, with the time that each step took. */
export class Narrator {
  readonly #began = performance.now();
  #steps = 0;

  async step<T>(title: string, work: () => Promise<T>): Promise<T> {
    const number = ++this.#steps;
    console.log(`\n${styleText("bold", `${number}. ${title}`)}`);
    const began = performance.now();
    try {
      const result = await work();
      console.log(styleText("green", `   done in ${seconds(began)}`));
      return result;
    } catch (error) {
      console.log(styleText("red", `   failed after ${seconds(began)}`));
      throw error;
    }
  }

  say(line: string): void {
    console.log(`   ${line}`);
  }

  end(lines: readonly string[]): void {
    console.log(`\n${styleText("bold", `The whole demo took ${seconds(this.#began)}.`)}`);
    for (const line of lines) console.log(line);
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
