import {
  apiVersion,
  claimName,
  clusterLabels,
  podHostName,
  podName,
  type ClusterState,
  type MySQLCluster,
  type MySQLClusterSpec,
  type MySQLClusterStatus,
} from "@moco-ts/api";
import type { Event, PersistentVolumeClaim, Pod, StatefulSet } from "@moco-ts/kube";
import type { InstanceReport, ReplicaReport } from "../instances/report.ts";

/** Objects and answers of a cluster `default/test`, as they are a day after it was made. */

export const now = Date.UTC(2026, 0, 2);
const yesterday = "2026-01-01T00:00:00Z";
const key = { namespace: "default", name: "test" };
export const currentRevision = "moco-test-1111";
export const updateRevision = "moco-test-2222";

/** The server_uuid of an instance. */
export function uuidOf(index: number): string {
  return `00000000-0000-4000-8000-00000000000${index}`;
}

export function testCluster(options: {
  state?: ClusterState;
  spec?: Partial<MySQLClusterSpec>;
  status?: Partial<MySQLClusterStatus>;
  annotations?: Record<string, string>;
}): MySQLCluster {
  const { state = "Healthy", spec = {}, status = {}, annotations = {} } = options;
  const condition = (type: string, isTrue: boolean) => ({
    type,
    status: isTrue ? ("True" as const) : ("False" as const),
    reason: state,
    message: `the current state is ${state}`,
    lastTransitionTime: yesterday,
  });
  return {
    apiVersion,
    kind: "MySQLCluster",
    metadata: { ...key, annotations },
    spec: {
      replicas: 3,
      podTemplate: { spec: { containers: [{ name: "mysqld", image: "mysql:8.4" }] } },
      volumeClaimTemplates: [
        { metadata: { name: "mysql-data" }, spec: { resources: { requests: { storage: "1Gi" } } } },
      ],
      serverIDBase: 100,
      ...spec,
    } as MySQLClusterSpec,
    status: {
      currentPrimaryIndex: 0,
      clustering: {
        primary: uuidOf(0),
        primaryAddress: "10.0.0.1",
        voters: [0, 1, 2].map(uuidOf),
        acknowledgements: 1,
        primaries: [uuidOf(0)],
        deposed: [],
        written: true,
      },
      conditions: [
        condition("Available", state === "Healthy" || state === "Degraded"),
        condition("Healthy", state === "Healthy"),
      ],
      ...status,
    },
  };
}

export function testStatefulSet(partition = 0): StatefulSet {
  return {
    metadata: { namespace: "default", name: "moco-test", generation: 2 },
    spec: {
      selector: {},
      template: {},
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } },
    },
    status: { replicas: 3, observedGeneration: 2, currentRevision, updateRevision },
  };
}

export interface PodOptions {
  readonly role?: "primary" | "replica" | undefined;
  readonly ready?: boolean;
  readonly revision?: string;
  readonly annotations?: Record<string, string>;
  readonly restarts?: number;
  /** Why mysqld waits. */
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly deleted?: boolean;
}

export function testPod(index: number, options: PodOptions = {}): Pod {
  const { role = index === 0 ? "primary" : "replica", revision = updateRevision, waiting, restarts = 0 } = options;
  const { ready = waiting === undefined, annotations = {}, deleted } = options;
  return {
    metadata: {
      namespace: "default",
      name: podName("test", index),
      uid: `uid-${index}`,
      creationTimestamp: yesterday,
      ...(deleted && { deletionTimestamp: yesterday }),
      annotations,
      labels: {
        ...clusterLabels("test"),
        "controller-revision-hash": revision,
        ...("role" in options && options.role === undefined ? {} : { "moco.cybozu.com/role": role }),
      },
    },
    spec: { nodeName: `node-${index + 1}`, containers: [{ name: "mysqld" }] },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      containerStatuses: [
        {
          name: "mysqld",
          image: "mysql:8.4",
          imageID: "",
          ready,
          restartCount: restarts,
          state: waiting ? { waiting } : { running: { startedAt: yesterday } },
        },
      ],
    },
  };
}

export function testClaim(
  index: number,
  options: { request?: string; capacity?: string; conditions?: { type: string; message?: string }[] } = {},
): PersistentVolumeClaim {
  const { request = "1Gi", capacity = "1Gi", conditions = [] } = options;
  return {
    metadata: { namespace: "default", name: claimName("mysql-data", "test", index), labels: clusterLabels("test") },
    spec: { storageClassName: "fast", resources: { requests: { storage: request } } },
    status: {
      phase: "Bound",
      capacity: { storage: capacity },
      conditions: conditions.map((each) => ({ status: "True", ...each })),
    },
  };
}

export function testEvent(
  minutesAgo: number,
  event: Partial<Event> & { involvedObject?: Event["involvedObject"] },
): Event {
  return {
    metadata: { namespace: "default", name: `event-${minutesAgo}` },
    involvedObject: { kind: "MySQLCluster", name: "test" },
    type: "Normal",
    lastTimestamp: new Date(now - minutesAgo * 60_000).toISOString(),
    ...event,
  };
}

/** The primary's answer: 100 transactions of its own. */
export function testPrimary(changes: Partial<InstanceReport> = {}): InstanceReport {
  return {
    version: "8.4.8",
    uuid: uuidOf(0),
    serverId: 100,
    uptime: 86_400,
    executed: `${uuidOf(0)}:1-100`,
    purged: "",
    readOnly: false,
    superReadOnly: false,
    offlineMode: false,
    source: { enabled: true, active: true, acknowledgements: 1, waitingSessions: 0, acknowledgingReplicas: 2 },
    ...changes,
  };
}

/** The answer of a replica that has everything. */
export function testReplica(
  index: number,
  changes: Partial<InstanceReport> = {},
  replica: Partial<ReplicaReport> = {},
): InstanceReport {
  return {
    ...testPrimary(),
    uuid: uuidOf(index),
    serverId: 100 + index,
    readOnly: true,
    superReadOnly: true,
    source: { enabled: false, active: false, acknowledgements: 1, waitingSessions: 0, acknowledgingReplicas: 0 },
    replica: {
      sourceHost: podHostName(key, 0),
      receiving: "yes",
      applying: true,
      retrieved: `${uuidOf(0)}:1-100`,
      lag: 0,
      heardAgo: 0.4,
      ...replica,
    },
    ...changes,
  };
}
