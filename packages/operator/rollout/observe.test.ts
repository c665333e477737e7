import type { MySQLCluster } from "@moco-ts/api";
import { clusterLabels } from "@moco-ts/api";
import type { Pod, PodStatus, StatefulSet } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { testCluster } from "../reconciliation/testing/clusters.ts";
import { snapshotOf } from "./observe.ts";

const statefulSet: StatefulSet = {
  metadata: { name: "moco-test", generation: 4 },
  spec: {
    replicas: 3,
    selector: {},
    template: {},
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
  },
  status: { replicas: 3, observedGeneration: 4, currentRevision: "moco-test-a", updateRevision: "moco-test-b" },
};

function cluster(status: MySQLCluster["status"], annotations: Record<string, string> = {}): MySQLCluster {
  return { ...testCluster({ replicas: 3 }, { generation: 2, annotations }), ...(status && { status }) };
}

function pod(ordinal: number, status: PodStatus = {}, metadata: Pod["metadata"] = {}): Pod {
  const labels = { ...clusterLabels("test"), "controller-revision-hash": "moco-test-a" };
  return { metadata: { name: `moco-test-${ordinal}`, uid: `uid-${ordinal}`, labels, ...metadata }, status };
}

function seen(pods: Pod[], of = cluster(undefined), set = statefulSet) {
  return snapshotOf({ cluster: of, statefulSet: set, pods }, 0);
}

test("the StatefulSet", () => {
  expect(seen([]).set).toEqual({
    replicas: 3,
    partition: 2,
    observed: true,
    remade: false,
    forced: false,
    updateRevision: "moco-test-b",
    currentRevision: "moco-test-a",
  });
  expect(seen([], cluster(undefined), { ...statefulSet, metadata: { generation: 5 } }).set.observed).toBe(false);
  const managedFields = [{ manager: "moco-recreation" }];
  expect(seen([], cluster(undefined), { ...statefulSet, metadata: { managedFields } }).set.remade).toBe(true);
  const annotations = { "moco.cybozu.com/force-rolling-update": "true" };
  const forced = { ...statefulSet, metadata: { annotations }, spec: { selector: {}, template: {} } };
  expect(seen([], cluster(undefined), forced).set).toMatchObject({ forced: true, partition: 0, replicas: 1 });
});

test("the cluster", () => {
  expect(seen([]).cluster).toMatchObject({ reconciled: false, initialized: undefined, healthy: false, primary: 0 });
  const condition = (type: string, status: "True" | "False", reason: string) => ({
    type,
    status,
    reason,
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  });
  const status = {
    currentPrimaryIndex: 2,
    reconcileInfo: { generation: 2, reconcileVersion: 2 },
    conditions: [condition("Initialized", "True", "Degraded"), condition("Healthy", "False", "Degraded")],
  };
  expect(seen([], cluster(status, { "moco.cybozu.com/reconciliation-stopped": "true" })).cluster).toEqual({
    name: "test",
    stopped: true,
    reconciled: true,
    initialized: true,
    reported: true,
    healthy: false,
    state: "Degraded",
    primary: 2,
  });
  const record = { primary: "a", primaryAddress: "", voters: [], acknowledgements: 0, primaries: [], deposed: [] };
  const clustering = { ...record, written: true, revision: 7 };
  const reported = (observedClusteringRevision?: number) =>
    seen([], cluster({ ...status, clustering, ...(observedClusteringRevision && { observedClusteringRevision }) }))
      .cluster.reported;
  expect([reported(7), reported(6), reported()]).toEqual([true, false, false]);
  expect(seen([]).cluster.reported).toBe(true);
});

test("pods, but for those that are to go", () => {
  const condition = (type: string, status: string, at: string) => ({ type, status, lastTransitionTime: at });
  const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:09Z"];
  const running = [{ name: "mysqld", image: "", imageID: "", ready: false, restartCount: 0, state: { running: {} } }];
  const annotations = { "moco.cybozu.com/demote": "true", "moco.cybozu.com/prevent-delete": "true" };
  const { members } = seen([
    pod(
      0,
      { conditions: [condition("Ready", "True", late)], containerStatuses: running },
      { ...pod(0).metadata, annotations },
    ),
    pod(1, { conditions: [condition("Ready", "False", late), condition("Initialized", "True", early)] }),
    pod(2, { conditions: [condition("Ready", "False", early), condition("Initialized", "True", late)] }),
    pod(3),
  ]);
  expect(members.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2]);
  expect(members[0]).toMatchObject({
    name: "moco-test-0",
    uid: "uid-0",
    revision: "moco-test-a",
    readySince: Date.parse(late),
    running: true,
    demoting: true,
    protected: true,
  });
  expect(members.map(({ lostReadiness }) => lostReadiness)).toEqual([false, true, false]);
});
