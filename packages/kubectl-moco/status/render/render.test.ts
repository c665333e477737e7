import { scenes } from "@moco-ts/view/testing";
import { expect, test } from "vitest";
import { renderView } from "./render.ts";
import { coloured, plain } from "./style.ts";

const lines = (...all: string[]): string => `${all.join("\n")}\n`;

test("a healthy cluster", () => {
  expect(renderView(scenes.healthy(), plain)).toBe(
    lines(
      "MySQLCluster default/test  Healthy",
      "3 of 3 instances are Ready, the primary is 0, acknowledgements 1 of 3 voters",
      "",
      "INSTANCES",
      "  INDEX  POD          ROLE     STATUS  WRITES  GTID GAP  LAG  MYSQL  RESTARTS  AGE  NODE",
      "  0      moco-test-0  primary  Ready   yes     -         -    8.4.8  0         24h  node-1",
      "  1      moco-test-1  replica  Ready   no      0         0s   8.4.8  0         24h  node-2",
      "  2      moco-test-2  replica  Ready   no      0         0s   8.4.8  0         24h  node-3",
      "",
      "CONDITIONS",
      "  TYPE       STATUS  SINCE  MESSAGE",
      "  Available  True    24h    the current state is Healthy",
      "  Healthy    True    24h    the current state is Healthy",
      "",
      "ROLLOUT",
      "  complete: 3 of 3 Pods are of the newest template",
      "",
      "VOLUMES",
      "  CLAIM                   STATUS  REQUEST  CAPACITY  CLASS",
      "  mysql-data-moco-test-0  Bound   1Gi      1Gi       fast",
      "  mysql-data-moco-test-1  Bound   1Gi      1Gi       fast",
      "  mysql-data-moco-test-2  Bound   1Gi      1Gi       fast",
    ),
  );
});

test("a degraded cluster: what is wrong comes first", () => {
  const text = renderView(scenes.degraded(), plain);
  expect(text).toContain(
    lines(
      "MySQLCluster default/test  Degraded",
      "2 of 3 instances are Ready, the primary is 0, acknowledgements 1 of 3 voters",
      "",
      "✗ instance 2: mysqld can't be asked: mysqld does not run: CrashLoopBackOff: mysqld: back-off 40s",
      "! Writes work, but not all replicas are in order",
      "",
      "INSTANCES",
      "  INDEX  POD          ROLE     STATUS            WRITES  GTID GAP  LAG   MYSQL  RESTARTS  AGE  NODE",
      "  0      moco-test-0  primary  Ready             yes     -         -     8.4.8  0         24h  node-1",
      "  1      moco-test-1  replica  Ready             no      12        3.2s  8.4.8  0         24h  node-2",
      "  2      moco-test-2  replica  CrashLoopBackOff  ?       ?         ?     ?      4         24h  node-3",
    ),
  );
  expect(text).toContain("  2m   Warning  BackOff  Pod/moco-test-2  Back-off restarting failed container (4 times)");
});

test("a failover: who is ahead can be seen although the primary is gone", () => {
  const text = renderView(scenes.failover(), plain);
  expect(text).toContain(
    lines(
      "✗ The primary is lost, and the operator makes another instance the primary",
      "✗ instance 0: mysqld can't be asked: Can't connect to local MySQL server through socket '/run/mysqld.sock' (2)",
      "! instance 1: tries to connect to moco-test-0.moco-test.default.svc: error reconnecting to source",
      "! instance 2: tries to connect to moco-test-0.moco-test.default.svc: error reconnecting to source",
    ),
  );
  expect(text).toContain(
    lines(
      "  INDEX  POD          ROLE     STATUS     WRITES  GTID GAP*  LAG  MYSQL  RESTARTS  AGE  NODE",
      "  0      moco-test-0  primary  not Ready  ?       ?          ?    ?      0         24h  node-1",
      "  1      moco-test-1  replica  Ready      no      0          0s   8.4.8  0         24h  node-2",
      "  2      moco-test-2  replica  Ready      no      10         0s   8.4.8  0         24h  node-3",
      "  * The primary can't be asked: counted against all that any instance has received.",
    ),
  );
});

test("a rollout that has stopped", () => {
  const text = renderView(scenes.rolloutStopped(), plain);
  const why =
    'moco-test-2 is updated and does not start: ImagePullBackOff: mysqld: Back-off pulling image "mysql:8.9". ' +
    "Correct the MySQLCluster: the rollout begins again with it";
  expect(text).toContain(`✗ The rollout has stopped: ${why}\n`);
  expect(text).toContain(
    lines("ROLLOUT", "  stopped: 1 of 3 Pods are of the newest template, partition 2", `  ${why}`),
  );
});

test("a rollout under way", () => {
  const text = renderView(scenes.rolling(), plain);
  expect(text).toContain(
    lines("ROLLOUT", "  rolling: 2 of 3 Pods are of the newest template, partition 1", "  instance 0 is next"),
  );
  expect(text).toContain("  60s  Normal  PartitionUpdate  StatefulSet/moco-test  Updated partition from 2 to 1\n");
});

test("an offline cluster", () => {
  const text = renderView(scenes.offline(), plain);
  expect(text).toContain(
    lines(
      "MySQLCluster default/test  Offline",
      "the primary is 0, acknowledgements 1 of 3 voters",
      "",
      "· The cluster is offline: its instances are stopped, its volumes are kept",
      `  To bring it back: kubectl patch mysqlcluster test --type=merge -p '{"spec":{"offline":false}}'`,
      "",
      "CONDITIONS",
    ),
  );
  expect(text).not.toContain("INSTANCES");
  expect(text).not.toContain("ROLLOUT");
  expect(text).toContain("  mysql-data-moco-test-2  Bound   1Gi      1Gi       fast");
});

test("an errant instance, with the way back", () => {
  const text = renderView(scenes.errant(), plain);
  expect(text).toContain(
    lines(
      "✗ instance 2: has 3 transactions that the primary does not have: 00000000-0000-4000-8000-000000000002:1-3",
      "  Save what you need of them. Then let its data be replaced by a copy: kubectl moco reclone moco-test-2",
    ),
  );
  expect(text).toContain(
    "  2      moco-test-2  errant   Ready   no      2 +3      0s   8.4.8  0         24h  node-3\n",
  );
});

test("volumes that grow", () => {
  expect(renderView(scenes.resizePending(), plain)).toContain(
    lines(
      "VOLUMES",
      "  CLAIM                   STATUS  REQUEST  CAPACITY  CLASS  CONDITIONS",
      "  mysql-data-moco-test-0  Bound   2Gi      2Gi       fast",
      "  mysql-data-moco-test-1  Bound   2Gi      1Gi       fast   Resizing",
      "  mysql-data-moco-test-2  Bound   2Gi      1Gi       fast   FileSystemResizePending: Waiting for user to (re-)start a pod",
    ),
  );
});

test("what a person has stopped and asked for", () => {
  expect(renderView(scenes.stopped(), plain)).toContain(
    lines(
      "! Clustering is stopped: nobody repairs replication, and there is no failover",
      "  To go on: kubectl moco start clustering test",
      "! Reconciliation is stopped: changes of the MySQLCluster have no effect",
      "  To go on: kubectl moco start reconciliation test",
      "· instance 0: is asked to hand its role over to instance 2",
      "· instance 1: is to get its data anew from another instance",
    ),
  );
});

test("what could not be looked at is told at the end", () => {
  const text = renderView(scenes.forbidden(), plain);
  expect(text).toMatch(/\nEvents can't be read: you may not\n$/);
  expect(text).toContain("✗ instance 0: mysqld can't be asked: you may not run commands in Pods");
});

test("of a cluster of which nothing else may be read", () => {
  expect(renderView(scenes.blind(), plain)).toBe(
    lines(
      "MySQLCluster default/test  Healthy",
      "the primary is 0, acknowledgements 1 of 3 voters",
      "",
      "CONDITIONS",
      "  TYPE       STATUS  SINCE  MESSAGE",
      "  Available  True    24h    the current state is Healthy",
      "  Healthy    True    24h    the current state is Healthy",
      "",
      "Pods can't be read: you may not",
    ),
  );
});

test("colours change nothing else", () => {
  for (const scene of Object.values(scenes)) {
    const view = scene();
    const text = renderView(view, coloured);
    expect(text).toContain("\x1b[");
    // eslint-disable-next-line no-control-regex -- escape sequences begin with one.
    expect(text.replaceAll(/\x1b\[\d+m/g, "")).toBe(renderView(view, plain));
  }
});
