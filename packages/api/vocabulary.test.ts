/** Words that users' scripts, manifests and alerts rely on: they never change. */
import { describe, expect, test } from "vitest";
import {
  allMysqlUsers,
  annotationKeys,
  backupLabels,
  clusterEvents,
  clusterLabels,
  controllerNamespaceLabels,
  finalizer,
  formatSelector,
  isAnnotated,
  mysqlUsers,
  optionsFileName,
  optionsFileUsers,
  ports,
  replicationSourceKeys,
  roleLabels,
  statefulSetEvents,
} from "./index.ts";

test("labels", () => {
  const common = { "app.kubernetes.io/instance": "orders", "app.kubernetes.io/created-by": "moco" };
  expect(clusterLabels("orders")).toEqual({ "app.kubernetes.io/name": "mysql", ...common });
  expect(backupLabels("orders")).toEqual({ "app.kubernetes.io/name": "mysql-backup", ...common });
  expect(controllerNamespaceLabels({ namespace: "shop", name: "orders" })).toEqual({
    "app.kubernetes.io/name": "mysql",
    ...common,
    "app.kubernetes.io/instance-namespace": "shop",
  });
  expect(roleLabels("orders", "primary")).toMatchObject({ ...common, "moco.cybozu.com/role": "primary" });
  expect(formatSelector({ a: "1", b: "2" })).toBe("a=1,b=2");
});

test("annotations and finalizer", () => {
  expect(annotationKeys).toMatchObject({
    demote: "moco.cybozu.com/demote",
    preventDelete: "moco.cybozu.com/prevent-delete",
    clusteringStopped: "moco.cybozu.com/clustering-stopped",
    reconciliationStopped: "moco.cybozu.com/reconciliation-stopped",
    forceRollingUpdate: "moco.cybozu.com/force-rolling-update",
    secretVersion: "moco.cybozu.com/secret-version",
  });
  expect(finalizer).toBe("moco.cybozu.com/mysqlcluster");
  const annotated = (value: string) => ({ metadata: { annotations: { [annotationKeys.demote]: value } } });
  expect(isAnnotated(annotated("true"), annotationKeys.demote)).toBe(true);
  expect(isAnnotated(annotated("yes"), annotationKeys.demote)).toBe(false);
  expect(isAnnotated({}, annotationKeys.demote)).toBe(false);
});

test("ports", () => {
  expect(Object.values(ports).map(({ name, number }) => `${name} ${number}`)).toEqual([
    "mysql 3306",
    "mysqlx 33060",
    "mysql-admin 33062",
    "health 9081",
    "agent 9080",
    "agent-metrics 8080",
    "mysqld-metrics 9104",
  ]);
});

test("MySQL users and the keys of their passwords", () => {
  expect(allMysqlUsers.map(({ name, secretKey, system }) => `${name} ${secretKey} ${system}`)).toEqual([
    "moco-admin ADMIN_PASSWORD true",
    "moco-agent AGENT_PASSWORD true",
    "moco-repl REPLICATION_PASSWORD true",
    "moco-clone-donor CLONE_DONOR_PASSWORD true",
    "moco-exporter EXPORTER_PASSWORD true",
    "moco-backup BACKUP_PASSWORD true",
    "moco-readonly READONLY_PASSWORD false",
    "moco-writable WRITABLE_PASSWORD false",
  ]);
  expect(optionsFileName(mysqlUsers.readOnly)).toBe("moco-readonly-my.cnf");
  expect(optionsFileUsers.map(optionsFileName)).toEqual([
    "moco-admin-my.cnf",
    "moco-exporter-my.cnf",
    "moco-backup-my.cnf",
    "moco-readonly-my.cnf",
    "moco-writable-my.cnf",
  ]);
  expect(Object.values(replicationSourceKeys)).toEqual([
    "HOST",
    "PORT",
    "USER",
    "PASSWORD",
    "INIT_USER",
    "INIT_PASSWORD",
  ]);
});

describe("events", () => {
  test.each([
    [clusterEvents.initCloned(), "Normal InitCloned Clone from an external mysqld succeeded"],
    [clusterEvents.initCloneFailed("x"), "Warning InitCloneFailed Clone from an external mysqld failed: x"],
    [clusterEvents.switchOver(2), "Normal SwitchOver The primary was changed to instance 2 due to a switchover"],
    [clusterEvents.switchOverFailed("x"), "Warning SwitchOverFailed The primary could not be changed: x"],
    [clusterEvents.failOver(1), "Normal FailOver The primary was changed to instance 1 due to a failover"],
    [clusterEvents.failOverFailed("x"), "Warning FailOverFailed The primary could not be changed: x"],
    [clusterEvents.cloned(1), "Normal Cloned Clone from the primary succeeded for instance 1"],
    [clusterEvents.cloneFailed(1, "x"), "Warning CloneFailed Clone from the primary failed for instance 1: x"],
    [clusterEvents.writable(), "Normal Writable The primary became writable"],
    [clusterEvents.backupCreated(), "Normal BackupCreated Backup created"],
    [clusterEvents.backupNoBinlog(), "Warning BackupNoBinlog Backup created w/o binlog files"],
    [clusterEvents.restored(), "Normal Restored Successfully restored data from backup"],
    [statefulSetEvents.partitionUpdate(3, 2), "Normal PartitionUpdate Updated partition from 3 to 2"],
  ])("%o", ({ type, reason, message }, text) => {
    expect(`${type} ${reason} ${message}`).toBe(text);
  });
});
