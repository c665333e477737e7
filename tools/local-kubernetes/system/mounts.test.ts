import { expect, test } from "vitest";
import { listMounts, parseMounts } from "./mounts.ts";

test("reads what the kernel writes, with any number of optional fields", () => {
  const text = [
    "22 27 0:21 / /proc rw,relatime - proc proc rw",
    "98 27 7:0 / /state/with\\040space/mount rw shared:4 master:2 - xfs /dev/loop0 rw,attr2",
    "",
  ].join("\n");
  expect(parseMounts(text)).toEqual([
    { target: "/proc", source: "proc" },
    { target: "/state/with space/mount", source: "/dev/loop0" },
  ]);
});

test("reads this machine's mounts", async () => {
  expect(await listMounts()).toContainEqual(expect.objectContaining({ target: "/proc" }));
});
