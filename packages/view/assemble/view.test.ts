import { expect, test } from "vitest";
import type { Answer, Answers } from "../instances/report.ts";
import type { ClusterView, InstanceView } from "../model.ts";
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
} from "../testing/objects.ts";
import { scenes } from "../testing/scenes.ts";
import { assembleView } from "./view.ts";

const textsOf = ({ findings }: ClusterView): string[] =>
  findings.map(({ level, instance, text }) => `${level}${instance === undefined ? "" : ` ${instance}`}: ${text}`);

const column = <K extends keyof InstanceView>({ instances }: ClusterView, name: K): InstanceView[K][] =>
  (instances ?? []).map((instance) => instance[name]);

test("a healthy cluster has nothing to tell", () => {
  const view = scenes.healthy();
  expect(view).toMatchObject({
    state: "Healthy",
    replicas: 3,
    readyReplicas: 3,
    primary: 0,
    acknowledgements: { required: 1, voters: 3 },
    gapsAgainst: "primary",
    findings: [],
    rollout: { state: "complete", updated: 3, total: 3 },
  });
  expect(column(view, "gap")).toEqual([undefined, 0, 0]);
  expect(column(view, "role")).toEqual(["primary", "replica", "replica"]);
});

test("gaps are the primary's transactions that a replica lacks", () => {
  const view = scenes.degraded();
  expect(column(view, "gap")).toEqual([undefined, 12, undefined]);
  expect(textsOf(view)).toEqual([
    "error 2: mysqld can't be asked: mysqld does not run: CrashLoopBackOff: mysqld: back-off 40s",
    "warning: Writes work, but not all replicas are in order",
  ]);
});

test("where the primary can't be asked, gaps are counted against all that anybody has", () => {
  const view = scenes.failover();
  expect(view.gapsAgainst).toBe("all");
  expect(column(view, "gap")).toEqual([undefined, 0, 10]);
});

test("what only a replica has is errant, but for the newest of the primary itself", () => {
  expect(column(scenes.errant(), "errant")).toEqual([
    undefined,
    undefined,
    { transactions: 3, gtids: `${uuidOf(2)}:1-3` },
  ]);

  const objects = { ...base(), pods: [testPod(0), testPod(1)] };
  const newer = testReplica(1, { executed: `${uuidOf(0)}:1-120` });
  const nudged = { ...newer, executed: `${newer.executed},6d6f636f-0000-4000-8000-000000000000:1` };
  const view = assembleView(
    objects,
    new Map([
      [0, testPrimary()],
      [1, nudged],
    ]),
    now,
  );
  expect(view.instances![1]).not.toHaveProperty("errant");
});

test("instances that are missing and Pods that are too many are both shown", () => {
  const view = assembleView({ ...base(), pods: [testPod(0), testPod(3)] }, new Map(), now);
  expect(column(view, "index")).toEqual([0, 1, 2, 3]);
  expect(column(view, "status")).toEqual(["Running", "Missing", "Missing", "Running"]);
});

test("Pods that come and go are no errors", () => {
  const starting = testPod(1, { ready: false });
  const pending = { ...starting, status: { phase: "Pending", initContainerStatuses: [init] } };
  const gone = testPod(2, { deleted: true, ready: false });
  const silent = { reason: "it does not run" };
  const answers: Answers = new Map<number, Answer>([
    [0, testPrimary()],
    [1, silent],
    [2, silent],
  ]);
  expect(textsOf(assembleView({ ...base(), pods: [testPod(0), pending, gone] }, answers, now))).toEqual([
    "warning 2: is ending",
    "note 1: is starting (Init:moco-init)",
  ]);
});

const init = {
  name: "moco-init",
  image: "mysql:8.4",
  imageID: "",
  ready: false,
  restartCount: 0,
  state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
};

test("a cluster that nobody has looked at yet is no error", () => {
  const { status: _status, ...cluster } = testCluster({});
  const view = assembleView({ ...base(), cluster, statefulSets: [], pods: [], claims: [] }, new Map(), now);
  expect(view).not.toHaveProperty("state");
  expect(view).not.toHaveProperty("primary");
  expect(textsOf(view)).toContain("warning: No controller has looked at the instances yet");
});

test("two writers, a primary that takes none and one that does not wait are told of", () => {
  const both = new Map([
    [0, testPrimary()],
    [1, testReplica(1, { readOnly: false })],
  ]);
  const pods = [testPod(0), testPod(1)];
  expect(textsOf(assembleView({ ...base(), pods }, both, now))).toContain(
    "error 1: is not the primary and takes writes",
  );

  const source = { enabled: true, active: false, acknowledgements: 1, waitingSessions: 0, acknowledgingReplicas: 0 };
  const hasty = new Map([[0, testPrimary({ source, readOnly: true })]]);
  const texts = textsOf(assembleView({ ...base(), pods: [testPod(0)] }, hasty, now));
  expect(texts).toContain("error 0: answers clients without waiting for replicas");
  expect(texts).toContain("warning 0: is the primary and takes no writes (read_only)");

  const cluster = testCluster({ spec: { replicationSourceSecretName: "donor" } });
  const intermediate = new Map([[0, testPrimary({ readOnly: true })]]);
  expect(textsOf(assembleView({ ...base(), cluster, pods: [testPod(0)] }, intermediate, now)).join()).not.toContain(
    "takes no writes",
  );
});

test("commits that nobody acknowledges are told of", () => {
  const source = { enabled: true, active: true, acknowledgements: 1, waitingSessions: 2, acknowledgingReplicas: 0 };
  const view = assembleView(base(), new Map([[0, testPrimary({ source })]]), now);
  expect(textsOf(view)).toContain("error 0: 2 commits wait: 0 replicas acknowledge, 1 must");
});

test("replication that is broken says where and why", () => {
  const answers = new Map([
    [0, testPrimary()],
    [1, testReplica(1, {}, { applying: false, applyError: "Duplicate entry '1'" })],
    [2, testReplica(2, {}, { sourceHost: "moco-test-1.moco-test.default.svc", heardAgo: 42.3 })],
  ]);
  expect(textsOf(assembleView(base(), answers, now))).toEqual([
    "warning 1: does not apply what it receives: Duplicate entry '1'",
    "warning 2: follows moco-test-1.moco-test.default.svc, which is not the primary",
    "warning 2: has not heard of its source for 42 s",
  ]);
});

test("a rollout that has stopped says which Pod, why, and what to do", () => {
  const { rollout, findings } = scenes.rolloutStopped();
  expect(rollout).toMatchObject({ state: "stopped", partition: 2, updated: 1, total: 3 });
  expect(rollout?.reason).toBe(
    'moco-test-2 is updated and does not start: ImagePullBackOff: mysqld: Back-off pulling image "mysql:8.9". ' +
      "Correct the MySQLCluster: the rollout begins again with it",
  );
  expect(findings[0]).toMatchObject({ level: "error", text: expect.stringContaining("mysqld can't be asked") });
  expect(findings[1]?.text).toContain("The rollout has stopped: moco-test-2");
});

test("what the operator says of a problem is what is told", () => {
  const condition = (type: string, status: "True" | "False", reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime: "2026-01-01T00:00:00Z",
  });
  const conditions = [
    condition("Healthy", "False", "Degraded", "the current state is Degraded: instance 2 is not ready"),
    condition("RolloutStopped", "True", "PodFailed", "moco-test-2 fails. Correct it"),
    condition("InstancesStartable", "False", "Crashing", "moco-test-2: unknown option"),
    condition("OptionsSound", "True", "Sound", "all is well"),
    condition("Durable", "False", "UnsafeSettings", "a power failure may lose acknowledged writes"),
    condition("VolumesResized", "False", "Resizing", "told of each volume"),
  ];
  const cluster = testCluster({ status: { conditions } });
  const pods = [testPod(0, { revision: currentRevision }), testPod(1, { revision: currentRevision }), testPod(2)];
  const answers = new Map([
    [0, testPrimary()],
    [1, testReplica(1)],
    [2, testReplica(2)],
  ]);
  expect(textsOf(assembleView({ ...base(), cluster, pods }, answers, now))).toEqual([
    "error: moco-test-2: unknown option",
    "error: The rollout has stopped: moco-test-2 fails. Correct it",
    "warning: Writes work, but not all replicas are in order: instance 2 is not ready",
    "warning: a power failure may lose acknowledged writes",
  ]);
});

test("a cluster whose clustering is stopped has no state, which is no surprise", () => {
  const unknown = {
    type: "Healthy",
    status: "Unknown" as const,
    reason: "ClusteringInactive",
    message: "clustering is inactive",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const annotations = { "moco.cybozu.com/clustering-stopped": "true" };
  const cluster = testCluster({ annotations, status: { conditions: [unknown] } });
  const answers = new Map([
    [0, testPrimary()],
    [1, testReplica(1)],
    [2, testReplica(2)],
  ]);
  expect(textsOf(assembleView({ ...base(), cluster }, answers, now))).toEqual([
    "warning: Clustering is stopped: nobody repairs replication, and there is no failover",
  ]);
});

test("a rollout says what it waits for", () => {
  const old = { revision: currentRevision };
  const reasonOf = (pods: ReturnType<typeof testPod>[], cluster = testCluster({})): string | undefined =>
    assembleView({ ...base(), cluster, statefulSets: [testStatefulSet(2)], pods }, new Map(), now).rollout?.reason;
  expect(reasonOf([testPod(0, old), testPod(1, old), testPod(2)])).toBe("instance 1 is next");
  expect(reasonOf([testPod(0, old), testPod(1, old), testPod(2, { ready: false })])).toBe(
    "moco-test-2 is updated and not Ready yet",
  );
  expect(reasonOf([testPod(0, old), testPod(1, old), testPod(2, { ...old, deleted: true })])).toBe(
    "moco-test-2 is being replaced",
  );
  expect(reasonOf([testPod(0, old), testPod(1, old), testPod(2)], testCluster({ state: "Degraded" }))).toBe(
    "the cluster is not Healthy (Degraded)",
  );
});

test("volumes show what they grow to and what they wait for", () => {
  const view = scenes.resizePending();
  expect(view.volumes!.map(({ growing }) => growing)).toEqual([false, true, true]);
  expect(textsOf(view)).toEqual([
    "warning 2: mysql-data-moco-test-2 grows to 2Gi once its Pod is restarted",
    "note 1: mysql-data-moco-test-1 grows from 1Gi to 2Gi (Resizing)",
  ]);
});

test("an offline cluster keeps its volumes and has no instances", () => {
  const view = scenes.offline();
  expect(view.instances).toEqual([]);
  expect(view.volumes!.map(({ claim }) => claim)).toHaveLength(3);
  expect(textsOf(view)).toEqual(["note: The cluster is offline: its instances are stopped, its volumes are kept"]);
});

test("what can't be read is left out, and is not taken for missing", () => {
  const view = scenes.blind();
  for (const name of ["readyReplicas", "instances", "rollout", "volumes", "events"])
    expect(view).not.toHaveProperty(name);
  expect(view.findings).toEqual([]);
  expect(view.problems).toEqual(["Pods can't be read: you may not"]);
});

test("events are the last ten, the newest last", () => {
  const events = Array.from({ length: 12 }, (_, index) => testEvent(index, { message: `${index} minutes ago` }));
  const view = assembleView({ ...base(), events }, new Map(), now);
  expect(view.events).toHaveLength(10);
  expect(view.events?.at(-1)?.message).toBe("0 minutes ago");
  expect(view.events?.[0]?.message).toBe("9 minutes ago");
});

function base() {
  return {
    cluster: testCluster({}),
    statefulSets: [testStatefulSet()],
    pods: [testPod(0), testPod(1), testPod(2)],
    claims: [testClaim(0), testClaim(1), testClaim(2)],
    events: [],
    problems: [],
  };
}
