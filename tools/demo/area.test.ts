import { expect, test } from "vitest";
import { Area } from "./area.ts";

/** As much of a terminal as an area needs, with lines of one character. */
class Screen {
  readonly rows = 5;
  readonly lines: string[] = [];
  #row = 0;

  write(text: string): void {
    // eslint-disable-next-line no-control-regex -- escape sequences begin with one.
    for (const [, count, command, other] of text.matchAll(/\x1b\[(\??\d*)([A-Za-z])|([^])/g)) {
      if (command === "A") this.#row -= Number(count);
      else if (command === "J") this.lines.length = Math.min(this.lines.length, this.#row);
      else if (command === "K") this.lines.length = Math.max(this.lines.length, this.#row + 1);
      else if (other === "\n") this.#row++;
      else if (other !== undefined && other !== "\r") this.lines[this.#row] = other;
    }
  }
}

test("lines are drawn in place, below all that is printed", () => {
  const screen = new Screen();
  const area = new Area(screen);
  area.print("1");
  area.draw(["a", "b"]);
  expect(screen.lines).toEqual(["1", "a", "b"]);
  area.draw(["c"]);
  expect(screen.lines).toEqual(["1", "c"]);
  area.print("2");
  expect(screen.lines).toEqual(["1", "2", "c"]);
  area.draw([]);
  area.print("3");
  expect(screen.lines).toEqual(["1", "2", "3"]);
});

test("no more is drawn than there is room for", () => {
  const screen = new Screen();
  const area = new Area(screen);
  area.draw(["a", "b", "c", "d", "e", "f"]);
  area.draw(["g"]);
  expect(screen.lines).toEqual(["g"]);
});
