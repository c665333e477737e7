import type { ContainerStatus, Pod } from "@moco-ts/kube";
import { describe, expect, test } from "vitest";
import { testCluster } from "../testing/clusters.ts";
import { startCondition, startEvents } from "./condition.ts";
import { startChanged, startProblems } from "./problems.ts";

const moment = (seconds: number) => new Date(seconds * 1000).toISOString();
const ended = (exitCode: number, message = "", seconds = 1, reason = "Error") => ({
  terminated: { exitCode, message, reason, startedAt: moment(0), finishedAt: moment(seconds) },
});
const waiting = (reason: string, message = "") => ({ waiting: { reason, message } });
const running = { running: { startedAt: moment(100) } };

function container(status: Partial<ContainerStatus>): ContainerStatus {
  return { name: "mysqld", image: "mysql:9.7", imageID: "", ready: false, restartCount: 0, started: false, ...status };
}

function pod(name: string, ...containers: Partial<ContainerStatus>[]): Pod {
  return { metadata: { name }, status: { containerStatuses: containers.map(container) } };
}

const badOption = { lastState: ended(1, "unknown variable 'no_such_option=1'.\nAborting\n") };
const texts = (...pods: Pod[]) => startProblems(pods).map(({ pod: name, text }) => `${name} ${text}`);

describe("a container that does not start", () => {
  test.each<[string, Partial<ContainerStatus>, string]>([
    ["ended at its start", { state: ended(1, "bad\n") }, "bad"],
    ["waits to be started again", { state: waiting("CrashLoopBackOff"), ...badOption }, "no_such_option"],
    ["is being started again", { state: running, ...badOption }, "no_such_option"],
    ["said nothing", { state: waiting("CrashLoopBackOff"), lastState: ended(139) }, "it ended with code 139"],
    ["needs long to fail", { state: waiting("CrashLoopBackOff"), lastState: ended(2, "", 900) }, "code 2"],
    ["has too little memory", { lastState: ended(137, "", 3, "OOMKilled") }, "memory limit is too small"],
    ["has no image", { state: waiting("ImagePullBackOff", "Back-off ...") }, "image mysql:9.7 can't be pulled"],
    [
      "lacks a Secret",
      { state: waiting("CreateContainerConfigError", 'secret "x" not found') },
      'secret "x" not found',
    ],
  ])("%s", (_, status, text) => {
    expect(texts(pod("a-0", status))).toEqual([expect.stringContaining(text)]);
  });

  test("may be one that prepares the instance", () => {
    const status = container({ name: "moco-init", state: waiting("CrashLoopBackOff"), lastState: ended(1, "no disk") });
    expect(startProblems([{ metadata: { name: "a-0" }, status: { initContainerStatuses: [status] } }])).toEqual([
      { pod: "a-0", container: "moco-init", text: "no disk", remedy: "logs" },
    ]);
  });
});

describe("a container is none of those that", () => {
  test.each<[string, Partial<ContainerStatus>]>([
    ["is being made", { state: waiting("ContainerCreating") }],
    ["waits for others", { state: waiting("PodInitializing") }],
    ["starts for the first time", { state: running }],
    ["was killed after a long life", { state: running, lastState: ended(137, "", 86_400) }],
    ["runs again", { state: running, started: true, ready: true, ...badOption }],
    ["ended as it should", { state: ended(0) }],
  ])("%s", (_, status) => {
    expect(texts(pod("a-0", status))).toEqual([]);
  });

  test("is ending", () => {
    const { metadata, ...rest } = pod("a-0", badOption);
    expect(texts({ metadata: { ...metadata, deletionTimestamp: moment(0) }, ...rest })).toEqual([]);
  });
});

test("only what changes the answer is a change", () => {
  const [healthy, failing] = [pod("a-0", { state: running }), pod("a-0", { state: running, ...badOption })];
  expect(startChanged({ type: "updated", old: healthy, object: failing })).toBe(true);
  expect(startChanged({ type: "updated", old: failing, object: pod("a-0", badOption) })).toBe(false);
  expect(startChanged({ type: "added", object: healthy, known: false })).toBe(false);
  expect(startChanged({ type: "added", object: failing, known: true })).toBe(true);
  expect(startChanged({ type: "deleted", object: failing })).toBe(true);
});

describe("what users see", () => {
  const pods = [pod("moco-c-0", badOption), pod("moco-c-1", badOption)];
  const text =
    "mysqld does not start: unknown variable 'no_such_option=1': correct ConfigMap options, or the arguments of container mysqld";
  const cluster = testCluster({ mysqlConfigMapName: "options" });

  test("a condition names all instances, the option and the remedy", () => {
    expect(startCondition(cluster, startProblems(pods))).toMatchObject({
      type: "InstancesStartable",
      status: "False",
      reason: "InstanceCannotStart",
      message: `moco-c-0, moco-c-1: ${text}`,
    });
    expect(startCondition(cluster, [])).toMatchObject({ status: "True", message: "no instance fails to start" });
  });

  test("a warning is told once, though more instances fail in the same way", () => {
    const event = { type: "Warning", reason: "InstanceCannotStart", message: `moco-c-0: ${text}` };
    expect(startEvents(cluster, startProblems(pods))).toEqual([event]);
    const condition = { ...startCondition(cluster, startProblems([pods[0]!])), lastTransitionTime: moment(0) };
    const told = { ...cluster, status: { currentPrimaryIndex: 0, conditions: [condition] } };
    expect(startEvents(told, startProblems(pods))).toEqual([]);
    const other = pod("moco-c-1", { lastState: ended(1, "disk full") });
    expect(startEvents(told, startProblems([pods[0]!, other]))).toEqual([
      expect.objectContaining({ message: expect.stringContaining("moco-c-1: mysqld does not start: disk full") }),
    ]);
  });

  test("each problem has its remedy", () => {
    const message = (status: Partial<ContainerStatus>) =>
      startCondition(testCluster(), startProblems([pod("moco-c-0", status)])).message;
    expect(message(badOption)).toContain("': correct the arguments of container mysqld");
    expect(message({ lastState: ended(1) })).toContain("kubectl logs -n shop <pod> -c mysqld --previous");
    expect(message({ state: waiting("ErrImagePull") })).toContain("check its name, its registry, and imagePullSecrets");
  });
});
