import { annotationKeys } from "@moco-ts/api";
import { assembleView } from "../assemble/view.ts";
import type { Answer } from "../instances/report.ts";
import type { ClusterView } from "../model.ts";
import type { ClusterObjects } from "../objects.ts";
import {
  currentRevision,
  now,
  testClaim,
  testCluster,
  testEvent,
  testPod,
  testPrimary,
  testReplica,
  testStatefulSet,
  uuidOf,
} from "./objects.ts";

interface Scene {
  readonly objects?: Partial<ClusterObjects>;
  /** By index. */
  readonly answers?: readonly (Answer | undefined)[];
}

function viewOf({ objects = {}, answers = [testPrimary(), testReplica(1), testReplica(2)] }: Scene): ClusterView {
  const all: ClusterObjects = {
    cluster: testCluster({}),
    statefulSets: [testStatefulSet()],
    pods: [0, 1, 2].map((index) => testPod(index)),
    claims: [0, 1, 2].map((index) => testClaim(index)),
    events: [],
    problems: [],
    ...objects,
  };
  const given = answers.flatMap((answer, index) => (answer ? [[index, answer] as const] : []));
  return assembleView(all, new Map(given), now);
}

/** Clusters as users meet them. */
export const scenes = {
  healthy: () => viewOf({}),

  /** A replica is broken and another one is behind. */
  degraded: () =>
    viewOf({
      objects: {
        cluster: testCluster({ state: "Degraded" }),
        pods: [
          testPod(0),
          testPod(1),
          testPod(2, { ready: false, restarts: 4, waiting: { reason: "CrashLoopBackOff", message: "back-off 40s" } }),
        ],
        events: [
          testEvent(2, {
            type: "Warning",
            reason: "BackOff",
            involvedObject: { kind: "Pod", name: "moco-test-2" },
            message: "Back-off restarting failed container",
            count: 4,
          }),
        ],
      },
      answers: [
        testPrimary(),
        testReplica(1, { executed: `${uuidOf(0)}:1-88` }, { lag: 3.21 }),
        { reason: "mysqld does not run: CrashLoopBackOff: mysqld: back-off 40s" },
      ],
    }),

  /** The primary has just died. */
  failover: () =>
    viewOf({
      objects: {
        cluster: testCluster({ state: "Failed" }),
        pods: [testPod(0, { ready: false }), testPod(1), testPod(2)],
      },
      answers: [
        { reason: "Can't connect to local MySQL server through socket '/run/mysqld.sock' (2)" },
        testReplica(1, {}, { receiving: "connecting", receiveError: "error reconnecting to source" }),
        testReplica(
          2,
          { executed: `${uuidOf(0)}:1-90` },
          { receiving: "connecting", receiveError: "error reconnecting to source", retrieved: `${uuidOf(0)}:1-97` },
        ),
      ],
    }),

  /** The new image of the first updated Pod is not there. */
  rolloutStopped: () =>
    viewOf({
      objects: {
        cluster: testCluster({ state: "Degraded" }),
        statefulSets: [testStatefulSet(2)],
        pods: [
          testPod(0, { revision: currentRevision }),
          testPod(1, { revision: currentRevision }),
          testPod(2, { waiting: { reason: "ImagePullBackOff", message: 'Back-off pulling image "mysql:8.9"' } }),
        ],
      },
      answers: [testPrimary(), testReplica(1), { reason: "mysqld does not run: ImagePullBackOff" }],
    }),

  offline: () =>
    viewOf({
      objects: { cluster: testCluster({ state: "Offline", spec: { offline: true } }), pods: [] },
      answers: [],
    }),

  /** A replica was written to. */
  errant: () =>
    viewOf({
      objects: {
        cluster: testCluster({ state: "Degraded", status: { errantReplicas: 1, errantReplicaList: [2] } }),
        pods: [testPod(0), testPod(1), testPod(2, { role: undefined })],
      },
      answers: [
        testPrimary(),
        testReplica(1),
        testReplica(
          2,
          { executed: `${uuidOf(0)}:1-98,${uuidOf(2)}:1-3` },
          { receiving: "no", retrieved: `${uuidOf(0)}:1-98` },
        ),
      ],
    }),

  /** Volumes grow: one online, one only after a restart. */
  resizePending: () =>
    viewOf({
      objects: {
        claims: [
          testClaim(0, { request: "2Gi", capacity: "2Gi" }),
          testClaim(1, { request: "2Gi", conditions: [{ type: "Resizing" }] }),
          testClaim(2, {
            request: "2Gi",
            conditions: [{ type: "FileSystemResizePending", message: "Waiting for user to (re-)start a pod" }],
          }),
        ],
      },
    }),

  /** A person has stopped the operator and asked for things that nobody does. */
  stopped: () =>
    viewOf({
      objects: {
        cluster: testCluster({
          annotations: {
            [annotationKeys.clusteringStopped]: "true",
            [annotationKeys.reconciliationStopped]: "true",
          },
        }),
        pods: [
          testPod(0, { annotations: { [annotationKeys.demote]: "true", [annotationKeys.switchoverTo]: "2" } }),
          testPod(1, { annotations: { [annotationKeys.reclone]: "true" } }),
          testPod(2),
        ],
      },
    }),

  /** Nobody may be asked, and events not be read. */
  forbidden: () =>
    viewOf({
      objects: { events: undefined, problems: ["Events can't be read: you may not"] },
      answers: [0, 1, 2].map(() => ({ reason: "you may not run commands in Pods" })),
    }),

  /** Only the MySQLCluster itself may be read. */
  blind: () =>
    viewOf({
      objects: {
        pods: undefined,
        statefulSets: undefined,
        claims: undefined,
        events: undefined,
        problems: ["Pods can't be read: you may not"],
      },
      answers: [],
    }),

  /** A rollout under way: the primary is next. */
  rolling: () =>
    viewOf({
      objects: {
        statefulSets: [testStatefulSet(1)],
        pods: [testPod(0, { revision: currentRevision }), testPod(1), testPod(2)],
        events: [
          testEvent(1, {
            reason: "PartitionUpdate",
            involvedObject: { kind: "StatefulSet", name: "moco-test" },
            message: "Updated partition from 2 to 1",
          }),
        ],
      },
    }),
} as const;
