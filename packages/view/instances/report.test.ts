import { expect, test } from "vitest";
import { reportOf } from "./report.ts";

const uuid = "00000000-0000-4000-8000-000000000001";

const row = {
  version: "8.4.8",
  uuid,
  serverId: 101,
  executed: `${uuid}:1-5`,
  purged: "",
  readOnly: 1,
  superReadOnly: 1,
  offlineMode: 0,
  variables: null,
  status: { Uptime: "77" },
  replica: null,
};

const replica = {
  sourceHost: "db",
  receiver: "ON",
  receiveError: "",
  applier: "ON",
  coordinatorError: null,
  workerError: "",
  retrieved: `${uuid}:1-5`,
  applyingAge: null,
  queuedAge: 900,
  heartbeatAge: 0.5,
  receivedAge: 900,
};

test("an instance without plugins, source and clone is complete", () => {
  expect(reportOf(row, undefined)).toEqual({
    version: "8.4.8",
    uuid,
    serverId: 101,
    uptime: 77,
    executed: `${uuid}:1-5`,
    purged: "",
    readOnly: true,
    superReadOnly: true,
    offlineMode: false,
    source: { enabled: false, active: false, acknowledgements: 0, waitingSessions: 0, acknowledgingReplicas: 0 },
  });
});

test("semi-synchronous replication is found under its old and its new names", () => {
  const wanted = { enabled: true, active: true, acknowledgements: 2, waitingSessions: 3, acknowledgingReplicas: 4 };
  const modern = {
    variables: { rpl_semi_sync_source_enabled: "ON", rpl_semi_sync_source_wait_for_replica_count: "2" },
    status: {
      Rpl_semi_sync_source_status: "ON",
      Rpl_semi_sync_source_wait_sessions: "3",
      Rpl_semi_sync_source_clients: "4",
    },
  };
  const old = {
    variables: { rpl_semi_sync_master_enabled: "ON", rpl_semi_sync_master_wait_for_slave_count: "2" },
    status: {
      Rpl_semi_sync_master_status: "ON",
      Rpl_semi_sync_master_wait_sessions: "3",
      Rpl_semi_sync_master_clients: "4",
    },
  };
  expect(reportOf({ ...row, ...modern }, undefined).source).toEqual(wanted);
  expect(reportOf({ ...row, ...old }, undefined).source).toEqual(wanted);
});

test.each([
  ["nothing is left to apply, however old it is", {}, 0],
  ["a transaction is being applied", { retrieved: `${uuid}:1-9`, applyingAge: 12.5 }, 12.5],
  ["the applier is stopped", { retrieved: `${uuid}:1-9`, applier: "OFF" }, 900],
  ["the source's clock is ahead", { retrieved: `${uuid}:1-9`, applyingAge: -0.2 }, 0],
  ["it can't be told", { retrieved: `${uuid}:1-9`, queuedAge: null }, undefined],
])("lag if %s", (_case, changes, lag) => {
  expect(reportOf({ ...row, replica: { ...replica, ...changes } }, undefined).replica?.lag).toBe(lag);
});

test("a replica tells when it last heard of its source and what went wrong", () => {
  const broken = { receiver: "CONNECTING", receiveError: "no route", applier: "OFF", workerError: "duplicate" };
  expect(reportOf({ ...row, replica: { ...replica, ...broken } }, undefined).replica).toEqual({
    sourceHost: "db",
    receiving: "connecting",
    receiveError: "no route",
    applying: false,
    applyError: "duplicate",
    retrieved: `${uuid}:1-5`,
    lag: 0,
    heardAgo: 0.5,
  });
});

test("a clone tells its state and its error", () => {
  expect(reportOf(row, { state: "Completed", error: "" }).clone).toEqual({ state: "Completed" });
  expect(reportOf(row, { state: "Failed", error: "disk full" }).clone).toEqual({ state: "Failed", error: "disk full" });
});

test("anything else is refused", () => {
  expect(() => reportOf({ surprise: true }, undefined)).toThrow("something else");
});
