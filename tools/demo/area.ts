/** What there is to write to, and how much room it has. */
export interface Terminal {
  /** 0 if it does not know. */
  readonly rows: number;
  write(text: string): unknown;
}

const escape = "\x1b[";
const clearLine = `${escape}K`;
const clearBelow = `${escape}J`;
const wrapLines = `${escape}?7h`;
const cutLines = `${escape}?7l`;

/** The last lines of a terminal, drawn anew in place while other lines are printed above them. */
export class Area {
  readonly #terminal: Terminal;
  #lines: readonly string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** In place of what was drawn before. No lines: gone. */
  draw(lines: readonly string[]): void {
    this.#write("", lines);
  }

  print(text: string): void {
    this.#write(`${clearBelow}${text}\n`, this.#lines);
  }

  #write(above: string, lines: readonly string[]): void {
    const back = this.#lines.length === 0 ? "\r" : `\r${escape}${this.#lines.length}A`;
    // What has left the terminal at its top can't be drawn anew.
    this.#lines = lines.slice(0, (this.#terminal.rows || 24) - 1);
    const drawn = this.#lines.map((line) => `${line}${clearLine}\n`).join("");
    // All at once, so that nothing can come between.
    this.#terminal.write(`${back}${above}${cutLines}${drawn}${clearBelow}${wrapLines}`);
  }
}
