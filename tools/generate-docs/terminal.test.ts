import { expect, test } from "vitest";
import { terminalPicture } from "./terminal.ts";

test("a line is a text, and colours are styles", () => {
  const picture = terminalPicture("status a<b", "one\n\u001b[1mtwo\u001b[22m \u001b[32mgood\u001b[39m & more\n");
  expect(picture).toContain(">$ status a&lt;b</text>");
  expect(picture).toContain(">one</text>");
  expect(picture).toContain(
    '<tspan style="font-weight:bold">two</tspan> <tspan style="fill:#7ee787">good</tspan> &amp; more</text>',
  );
});
