import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../system/run.ts";
import { imagesFolder } from "./sources.ts";

/** The mysqld of the image mysql-loose. Here it starts a program that prints its arguments, one a line. */
async function argumentsPassed(...args: string[]): Promise<string[]> {
  const env = { ...process.env, MYSQLD: join(directory, "mysqld"), TMPDIR: directory };
  return (await run(join(imagesFolder, "mysql-loose", "mysqld"), args, { env })).trimEnd().split("\n");
}

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "loose-"));
  await writeFile(join(directory, "mysqld"), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
});

afterEach(() => rm(directory, { recursive: true }));

test("removed options among the arguments become loose, all others stay", async () => {
  const args = ["--initialize-insecure", "--innodb-log-file-size=1G", "--ssl", "--old_alter_table", "--init-file=a b"];
  expect(await argumentsPassed(...args)).toEqual([
    "--initialize-insecure",
    "--loose_innodb-log-file-size=1G",
    "--loose_ssl",
    "--old_alter_table",
    "--init-file=a b",
  ]);
});

test("removed options in the option file become loose in a copy of it", async () => {
  const file = join(directory, "my.cnf");
  const text = [
    "[mysqld]",
    "innodb_log_file_size = 800M",
    "  innodb-log-files-in-group=2",
    "old",
    "old_alter_table = ON",
    "loose_temptable_use_mmap = OFF",
    "tmpdir = /tmp",
    "!includedir /etc/mysql-conf.d",
    "",
  ];
  await writeFile(file, text.join("\n"));
  const [first, ...rest] = await argumentsPassed(`--defaults-file=${file}`, "--datadir=/data");
  expect(rest).toEqual(["--datadir=/data"]);
  expect(await readFile(first!.replace("--defaults-file=", ""), "utf8")).toBe(
    [
      "[mysqld]",
      "loose_innodb_log_file_size = 800M",
      "  loose_innodb-log-files-in-group=2",
      "loose_old",
      ...text.slice(4),
    ].join("\n"),
  );
  expect(await readFile(file, "utf8")).toBe(text.join("\n"));
});

test("an option file that can't be read stops the start", async () => {
  await expect(argumentsPassed(`--defaults-file=${join(directory, "none.cnf")}`)).rejects.toThrow("none.cnf");
});
