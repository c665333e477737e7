import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { fit, openScreen } from "./screen.ts";

test("lines and columns that there is no room for are cut", () => {
  expect(fit("one\ntwo\nthree\nfour\n", 80, 3)).toEqual(["one", "two", "… 2 more lines"]);
  expect(fit("one\ntwo\n", 80, 2)).toEqual(["one", "two"]);
  expect(fit("0123456789", 5, 3)).toEqual(["0123…"]);
});

test("colours take no room and do not leak out of what is cut", () => {
  const [line] = fit("\x1b[31m0123456789\x1b[39m", 5, 3);
  expect(stripVTControlCharacters(line!)).toBe("0123…");
  expect(line!.endsWith("\x1b[39m")).toBe(true);
});

test("a screen is drawn over and given back", () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 20, rows: 5 });
  const screen = openScreen(terminal);
  screen.show("first\n");
  screen.show("second\n");
  Object.assign(terminal, { columns: 4 });
  terminal.emit("resize");
  screen.close();
  terminal.emit("resize");
  const written = String(terminal.read());
  expect(written.startsWith("\x1b[?1049h\x1b[?25l")).toBe(true);
  expect(written.endsWith("\x1b[?25h\x1b[?1049l")).toBe(true);
  expect(stripVTControlCharacters(written)).toBe("firstsecondsec…");
});
