import { expect, test } from "vitest";
import { reviewUserOptions } from "./review.ts";

test("options that do what they say are not worth a word", () => {
  expect(reviewUserOptions({ long_query_time: "0", "sync-binlog": "1", _include: "a=b\nc=d" })).toEqual([]);
});

test.each([
  ["a b", "1", "error", "a b is not the name of an option"],
  ["[client]", "", "error", "[client] is not the name of an option"],
  ["max_connections", "1\nread_only=OFF", "error", "max_connections has a value of several lines: use _include"],
  ["log-bin", "x", "warning", "log-bin is left out"],
  ["loose_super_read_only", "OFF", "warning", "loose_super_read_only has no effect: the operator sets it"],
  ["rpl_semi_sync_master_timeout", "1", "warning", "rpl_semi_sync_master_timeout has no effect"],
  ["sync_binlog", "0", "warning", "sync_binlog is 0: transactions that were acknowledged can be lost"],
  ["innodb-flush-log-at-trx-commit", "2", "warning", "innodb-flush-log-at-trx-commit is 2: the last second"],
])("%s = %j is worth %s", (option, value, severity, text) => {
  const [problem] = reviewUserOptions({ [option]: value });
  expect(problem).toMatchObject({ option, severity });
  expect(problem!.text).toContain(text);
});
