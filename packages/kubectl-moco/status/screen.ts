import { stripVTControlCharacters } from "node:util";
import type { Output } from "../io.ts";

/** A terminal that shows one text at a time. */
export interface Screen {
  show(text: string): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

const escape = "\x1b[";
const enter = `${escape}?1049h${escape}?25l`;
const leave = `${escape}?25h${escape}?1049l`;
const home = `${escape}H`;
const clearLine = `${escape}K`;
const clearBelow = `${escape}J`;

export function openScreen(output: Output): Screen {
  let shown = "";
  const draw = (): void => {
    const lines = fit(shown, output.columns ?? 80, output.rows ?? 24);
    // Overwritten rather than cleared first, which would flicker.
    output.write(home + lines.map((line) => line + clearLine).join("\r\n") + clearBelow);
  };
  output.write(enter);
  output.on("resize", draw);
  return {
    show(text) {
      shown = text;
      draw();
    },
    close() {
      output.off("resize", draw);
      output.write(leave);
    },
  };
}

/** The lines that there is room for, none longer than that. */
export function fit(text: string, columns: number, rows: number): string[] {
  const lines = text.trimEnd().split("\n");
  const visible =
    lines.length <= rows ? lines : [...lines.slice(0, rows - 1), `… ${lines.length - rows + 1} more lines`];
  return visible.map((line) => (stripVTControlCharacters(line).length <= columns ? line : cut(line, columns)));
}

// eslint-disable-next-line no-control-regex -- escape sequences begin with one.
const sequence = /\x1b\[[0-9;]*m/y;

/** Escape sequences take no room, and those that end a colour are kept. */
function cut(line: string, columns: number): string {
  let [result, width] = ["", 0];
  for (let position = 0; position < line.length;) {
    sequence.lastIndex = position;
    const found = sequence.exec(line)?.[0];
    if (found) result += found;
    else if (width < columns - 1) result += line[position];
    else if (width === columns - 1) result += "…";
    if (!found) width++;
    position += found?.length ?? 1;
  }
  return result;
}
