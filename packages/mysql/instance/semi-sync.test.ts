import { describe, expect, test } from "vitest";
import { namesIn, semiSyncStatus, waitingRules } from "./semi-sync.ts";

const statusOf = (...names: string[]) => new Map(names.map((name) => [name, "OFF"]));

describe("names of semi-sync replication", () => {
  test("are the old ones where the old plugins are installed", () => {
    const names = namesIn(statusOf("Rpl_semi_sync_master_status", "Rpl_semi_sync_slave_status"))!;
    expect(names.variables).toMatchObject({
      source: "rpl_semi_sync_master_enabled",
      count: "rpl_semi_sync_master_wait_for_slave_count",
      replica: "rpl_semi_sync_slave_enabled",
    });
    expect(waitingRules(names)).toEqual({
      rpl_semi_sync_master_timeout: "4294967295",
      rpl_semi_sync_master_wait_no_slave: "1",
      rpl_semi_sync_master_wait_point: "AFTER_SYNC",
    });
  });

  test("are the new ones where those are", () => {
    const names = namesIn(statusOf("Rpl_semi_sync_source_status", "Rpl_semi_sync_replica_status"))!;
    expect(names.variables.source).toBe("rpl_semi_sync_source_enabled");
  });

  test("are none before both plugins are there", () => {
    expect(namesIn(statusOf("Rpl_semi_sync_source_status"))).toBeUndefined();
    expect(namesIn(statusOf())).toBeUndefined();
  });

  test("are asked for by both", () => {
    expect(semiSyncStatus).toContain("Rpl_semi_sync_source_status");
    expect(semiSyncStatus).toContain("Rpl_semi_sync_master_status");
  });
});
