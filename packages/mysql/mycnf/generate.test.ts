import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentHash } from "@moco-ts/api";
import { defaultFluentBitTemplate, expandFluentBitTemplate } from "./fluent-bit.ts";
import { generateMyCnf } from "./generate.ts";
import { allRemovedOptions } from "./removed.ts";
import { storedMyCnf } from "./testing/stored.ts";

const gibibyte = 2 ** 30;

/** The options of a section, and the lines that are none. */
function section(text: string, name: string): Map<string, string> {
  const body = text.split(`[${name}]\n`)[1]!.split("\n\n")[0]!;
  return new Map(body.split("\n").map((line) => line.split(" = ") as [string, string]));
}

describe("version 1", () => {
  const userOptions = {
    "long-query-time": "0",
    innodb_log_file_size: "10M",
    loose_slow_query_log: "OFF",
    lower_case_table_names: "1",
    _include: "performance-schema-instrument='memory/%=ON'\n",
  };

  test("gives the text that is stored in clusters that exist", () => {
    // The stored text comes from a build that left these two out; the third is the user's.
    const text = generateMyCnf({ version: 1, userOptions, mysqldMemory: gibibyte })
      .replace("innodb_log_files_in_group = 2\n", "")
      .replace("temptable_use_mmap = OFF\n", "");
    expect(text).toBe(storedMyCnf);
    expect(contentHash(text)).toBe("7f1783f9");
  });

  test("has the whole list of defaults", () => {
    const mysqld = section(generateMyCnf({ version: 1, userOptions: {}, mysqldMemory: 0 }), "mysqld");
    expect(mysqld.get("innodb_log_file_size")).toBe("800M");
    expect(mysqld.get("innodb_log_files_in_group")).toBe("2");
    expect(mysqld.get("temptable_use_mmap")).toBe("OFF");
    expect(mysqld.get("innodb_buffer_pool_size")).toBe(String(128 * 2 ** 20));
    expect(mysqld.has("innodb_redo_log_capacity")).toBe(false);
    expect(mysqld.has("ssl_ca")).toBe(false);
  });

  test("leaves out what would take the operator's logs away, and does not give in on constants", () => {
    const mysqld = section(
      generateMyCnf({
        version: 1,
        userOptions: { "log-bin": "x", log_error: "y", "skip-log-bin": "", disable_log_bin: "1", "read-only": "OFF" },
        mysqldMemory: 0,
      }),
      "mysqld",
    );
    expect([...mysqld.keys()].filter((key) => /log_bin|log_error$/.test(key))).toEqual([]);
    expect(mysqld.get("read_only")).toBe("ON");
  });
});

describe("version 2", () => {
  const generate = (userOptions: Record<string, string>) =>
    section(generateMyCnf({ version: 2, userOptions, mysqldMemory: gibibyte }), "mysqld");

  test("writes every removed option loose, the user's too", () => {
    const user = Object.fromEntries(allRemovedOptions.map((option) => [option.replaceAll("_", "-"), "1"]));
    const mysqld = generate(user);
    for (const option of allRemovedOptions) {
      expect(mysqld.has(option), option).toBe(false);
      expect(mysqld.get(`loose_${option}`), option).toBe("1");
    }
  });

  test("is safe against the loss of acknowledged writes, whatever the user says", () => {
    const mysqld = generate({
      sync_relay_log: "10000",
      "relay-log-recovery": "ON",
      loose_persisted_globals_load: "ON",
      rpl_semi_sync_source_timeout: "1",
    });
    expect(Object.fromEntries(mysqld)).toMatchObject({
      sync_relay_log: "1",
      relay_log_recovery: "OFF",
      skip_replica_start: "ON",
      persisted_globals_load: "OFF",
      super_read_only: "ON",
      loose_rpl_semi_sync_source_timeout: "4294967295",
      loose_rpl_semi_sync_master_wait_no_slave: "ON",
    });
    expect(mysqld.has("loose_persisted_globals_load")).toBe(false);
  });

  test("keeps the size of the redo log in the option that newer versions read", () => {
    expect(generate({}).get("loose_innodb_redo_log_capacity")).toBe(String(1600 * 2 ** 20));
    const small = generate({ "innodb-log-file-size": "10M", innodb_log_files_in_group: "3" });
    expect(small.get("loose_innodb_redo_log_capacity")).toBe(String(30 * 2 ** 20));
    expect(small.get("loose_innodb_log_file_size")).toBe("10M");
    const given = generate({ innodb_redo_log_capacity: "4G" });
    expect(given.get("innodb_redo_log_capacity")).toBe("4G");
    expect(given.has("loose_innodb_redo_log_capacity")).toBe(false);
  });

  test("offers TLS with the certificate of the Pods, or only with the user's own", () => {
    expect(generate({}).get("ssl_cert")).toBe("/grpc-cert/tls.crt");
    expect(generate({}).has("require_secure_transport")).toBe(false);
    const own = generate({ "ssl-cert": "/mine/cert" });
    expect(own.get("ssl_cert")).toBe("/mine/cert");
    expect(own.has("ssl_ca")).toBe(false);
    const text = generateMyCnf({ version: 2, userOptions: {}, mysqldMemory: 0, certificateDirectory: "/mysql-tls" });
    expect(section(text, "mysqld").get("ssl_key")).toBe("/mysql-tls/tls.key");
  });
});

test("every option is written once, in order, and the user's value is there or the constant is", () => {
  const option = fc.stringMatching(/^[a-z]{1,4}([_-][a-z]{1,3})?$/);
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.oneof(
          option,
          option.map((name) => `loose_${name}`),
          fc.constant("read-only"),
        ),
        fc.stringMatching(/^\w+$/),
      ),
      fc.constantFrom(1 as const, 2 as const),
      (userOptions, version) => {
        const text = generateMyCnf({ version, userOptions, mysqldMemory: 0 });
        const keys = text
          .split("[mysqld]\n")[1]!
          .split("\n\n")[0]!
          .split("\n")
          .map((line) => line.split(" = ")[0]!);
        const bases = keys.map((key) => key.replace(/^loose_/, ""));
        expect(keys).toEqual(keys.toSorted());
        expect(new Set(bases).size).toBe(bases.length);
        for (const key of Object.keys(userOptions)) {
          expect(bases).toContain(key.replaceAll("-", "_").replace(/^loose_/, ""));
        }
      },
    ),
  );
});

describe("fluent-bit", () => {
  test("the template has the hash that is in the names of ConfigMaps that exist", () => {
    expect(contentHash(defaultFluentBitTemplate)).toBe("13246250");
  });

  test("the path is filled in", () => {
    expect(expandFluentBitTemplate(defaultFluentBitTemplate)).toContain("  Path           /var/log/mysql/mysql.slow\n");
    expect(expandFluentBitTemplate('a {{- .Path -}} b{{/* why */}} {{ "{{" }} {{.Path}}', "/p")).toBe("a/pb {{ /p");
  });

  test("what can't be expanded is an error that says so", () => {
    expect(() => expandFluentBitTemplate("{{ range .Paths }}")).toThrow("has {{ range .Paths }}, but only {{ .Path }}");
  });
});
