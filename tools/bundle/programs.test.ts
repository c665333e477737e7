import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { prepareImages } from "./programs.ts";

test("programs have no character that would make Node keep their text in two bytes for each", async () => {
  const folder = await prepareImages("images-test");
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ["moco-controller", "moco-agent", "pvc-autoresizer"]) {
    const text = await readFile(join(folder, name, "main.js"), "utf8");
    expect(text.match(/.{0,40}[\u0100-\uffff].{0,40}/)).toBeNull();
  }
});
