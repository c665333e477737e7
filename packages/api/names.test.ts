import { describe, expect, test } from "vitest";
import {
  claimName,
  contentHash,
  fluentBitConfigMapName,
  isFluentBitConfigMapName,
  isMyCnfConfigMapName,
  myCnfConfigMapName,
  namesOf,
  ordinalOf,
  podHostName,
  podHostNamePattern,
  podName,
} from "./names.ts";

const cluster = { namespace: "shop", name: "orders" };

test("every object has the name that users know", () => {
  expect(namesOf(cluster)).toEqual({
    statefulSet: "moco-orders",
    serviceAccount: "moco-orders",
    podDisruptionBudget: "moco-orders",
    headlessService: "moco-orders",
    primaryService: "moco-orders-primary",
    replicaService: "moco-orders-replica",
    usersSecret: "moco-orders",
    myCnfSecret: "moco-my-cnf-orders",
    grpcSecret: "moco-orders-grpc",
    controllerSecret: "mysql-shop.orders",
    certificateSecret: "moco-agent-shop.orders",
    backup: "moco-backup-orders",
    restore: "moco-restore-orders",
    recreation: "moco-orders-recreation",
  });
  expect(podName("orders", 12)).toBe("moco-orders-12");
  expect(podHostName(cluster, 0)).toBe("moco-orders-0.moco-orders.shop.svc");
  expect(podHostNamePattern(cluster)).toBe("*.moco-orders.shop.svc");
  expect(claimName("mysql-data", "orders", 2)).toBe("mysql-data-moco-orders-2");
});

test("a name of 40 characters leaves room for every derived name", () => {
  const names = namesOf({ namespace: "shop", name: "a".repeat(40) });
  // CronJobs may have 52 characters, other names 63 where they become labels or host names.
  expect(names.backup.length).toBeLessThanOrEqual(52);
  expect(names.statefulSet.length).toBeLessThanOrEqual(52);
  expect(names.replicaService.length).toBeLessThanOrEqual(63);
});

test.each([
  ["", "811c9dc5"],
  ["a", "e40c292c"],
  ["foobar", "bf9cf968"],
  ["é", "1e9de8c1"],
])("the hash of %j is FNV-1a of its bytes", (text, hash) => {
  expect(contentHash(text)).toBe(hash);
});

test("ConfigMaps are named after their contents", () => {
  expect(myCnfConfigMapName("orders", "foobar")).toBe("moco-orders.bf9cf968");
  expect(fluentBitConfigMapName("orders", "foobar")).toBe("moco-slow-log-agent-config-orders.bf9cf968");
});

describe("ConfigMaps of one cluster are told from those of others", () => {
  test.each([
    ["orders", "moco-orders.bf9cf968", true],
    ["order", "moco-orders.bf9cf968", false],
    ["orders", "moco-orders", false],
    ["orders", "moco-orders.bf9cf96", false],
    ["orders", "moco-orders.BF9CF968", false],
    ["orders", "moco-orders.bf9cf968.bf9cf968", false],
    ["orders.bf9cf968", "moco-orders.bf9cf968.bf9cf968", true],
    ["orders", "", false],
  ])("my.cnf of %s: %s", (name, objectName, expected) => {
    expect(isMyCnfConfigMapName(name, objectName)).toBe(expected);
  });

  test.each([
    ["a", "moco-slow-log-agent-config-a.bf9cf968", true],
    ["a", "moco-slow-log-agent-config-ab.bf9cf968", false],
    ["a", "moco-a.bf9cf968", false],
  ])("fluent-bit of %s: %s", (name, objectName, expected) => {
    expect(isFluentBitConfigMapName(name, objectName)).toBe(expected);
  });
});

test.each([
  ["moco-orders-0", 0],
  ["moco-orders-12", 12],
  ["mysql-data-moco-orders-3", 3],
  ["moco-orders", undefined],
  ["moco-orders-", undefined],
  ["moco-orders-01", undefined],
  ["moco-orders-1a", undefined],
])("the ordinal of %s is %s", (name, ordinal) => {
  expect(ordinalOf(name)).toBe(ordinal);
});
