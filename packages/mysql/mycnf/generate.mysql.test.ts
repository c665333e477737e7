import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rm } from "node:fs/promises";
import { makeVolumes, runContainer } from "../testing/index.ts";
import { generateMyCnf } from "./generate.ts";
import { allRemovedOptions } from "./removed.ts";

/** What mysqld says about a my.cnf. */
async function validate(version: 1 | 2, userOptions: Record<string, string>) {
  const volumes = await makeVolumes("configuration", "tmp");
  onTestFinished(() => rm(volumes.parent, { recursive: true }));
  const text = generateMyCnf({ version, userOptions, mysqldMemory: 2 ** 30 });
  await writeFile(join(volumes.configuration, "my.cnf"), text);
  return runContainer({
    command: ["mysqld", "--defaults-file=/etc/mysql/my.cnf", "--validate-config"],
    volumes: { "/etc/mysql": volumes.configuration, "/tmp": volumes.tmp },
  });
}

test("MySQL 9.7 refuses what version 1 has to write", async () => {
  const { code, output } = await validate(1, {});
  expect(code).toBe(1);
  expect(output).toContain("unknown variable");
});

test("MySQL 9.7 starts with version 2, even if the user has every option that was ever removed", async () => {
  expect(await validate(2, {})).toMatchObject({ code: 0 });
  const removed = Object.fromEntries(allRemovedOptions.map((option) => [option, "1"]));
  const { code, output } = await validate(2, { ...removed, rpl_semi_sync_master_enabled: "1" });
  expect(output).not.toContain("[ERROR]");
  expect(code).toBe(0);
});

test("an option that never was is still refused, by its name", async () => {
  const { code, output } = await validate(2, { no_such_option: "1" });
  expect(code).toBe(1);
  expect(output).toContain("unknown variable 'no_such_option=1'");
});
