import type { MySQLCluster } from "@moco-ts/api";
import type { StatefulSet } from "@moco-ts/kube";
import { describe, expect, test, vi } from "vitest";
import { planInstances, type PlanInput } from "./plan.ts";
import { testCluster } from "./testing/clusters.ts";
import { testImages } from "./testing/instances.ts";

const newImages = { agent: "agent:3", agentV1: "agent:1", fluentBit: "fluent-bit:2", exporter: "exporter:2" };

/** A cluster whose status says what it was made from. */
function recorded(version: number | undefined, spec: Partial<MySQLCluster["spec"]> = {}, generation = 1): MySQLCluster {
  const cluster = testCluster({ collectors: ["a"], ...spec }, { generation });
  const reconcileInfo = version === undefined ? {} : { generation: 1, reconcileVersion: version };
  return { ...cluster, status: { currentPrimaryIndex: 0, reconcileInfo } };
}

function plan(cluster: MySQLCluster, rest: Partial<PlanInput> = {}) {
  return planInstances({
    cluster,
    live: undefined,
    images: testImages,
    userOptions: {},
    changesPods: () => false,
    ...rest,
  });
}

/** What a version makes of a cluster, as if it were stored. */
function stored(version: 1 | 2): StatefulSet {
  return plan(recorded(version)).statefulSet as StatefulSet;
}

function imagesOf({ statefulSet }: ReturnType<typeof plan>) {
  const { containers } = statefulSet.spec!.template!.spec!;
  return Object.fromEntries(containers!.map(({ name, image }) => [name, image]));
}

const yes = () => true;

describe("the version of", () => {
  test.each([
    ["a new cluster", 2, recorded(undefined), {}],
    ["a cluster of MOCO's", 1, recorded(1), { live: stored(1) }],
    ["a cluster of MOCO's without a record", 1, recorded(undefined), { live: stored(1), changesPods: yes }],
    ["a cluster that was made a moment ago, without a record", 2, recorded(undefined), { live: stored(2) }],
    ["a cluster at version 2", 2, recorded(2), { live: stored(2) }],
    ["a cluster that a later operator has raised", 2, recorded(3), { live: stored(2) }],
    ["a cluster that has risen, but whose record was not written", 2, recorded(1), { live: stored(2) }],
    ["one at version 1 whose StatefulSet is being made anew", 1, recorded(1, {}, 2), {}],
    ["one at version 2 whose StatefulSet is being made anew", 2, recorded(2, {}, 2), {}],
    ["one at version 1 whose edit restarts mysqld", 2, recorded(1, {}, 2), { live: stored(1), changesPods: yes }],
    ["one at version 1 whose edit restarts nothing", 1, recorded(1, {}, 2), { live: stored(1) }],
    ["one at version 1 with another agent", 1, recorded(1), { live: stored(1), changesPods: yes }],
    [
      "one at version 1 with other mysqld options",
      2,
      recorded(1),
      { live: stored(1), changesPods: yes, userOptions: { long_query_time: "0" } },
    ],
    ["one at version 2 whose Pods somebody changed back", 2, recorded(2), { live: stored(1), changesPods: yes }],
  ])("%s: %i", (_, version, cluster, rest) => {
    const planned = plan(cluster, rest);
    expect(planned.version).toBe(version);
    const command = planned.statefulSet.spec!.template!.spec!.containers![0]!.command;
    expect(command).toEqual(version === 2 ? ["/moco/moco-mysqld", "mysqld"] : undefined);
  });
});

describe("images:", () => {
  test.each([
    ["a new cluster gets what the flags name", recorded(undefined), {}, ["agent:3", "fluent-bit:2", "exporter:2"]],
    ["another agent restarts Pods", recorded(2), { live: stored(2) }, ["agent:3", "fluent-bit:1", "exporter:1"]],
    ["version 1 has an agent of its own", recorded(1), { live: stored(1) }, ["agent:1", "fluent-bit:1", "exporter:1"]],
    [
      "other sidecars come with an edit that restarts mysqld",
      recorded(2, {}, 2),
      { live: stored(2), changesPods: yes },
      ["agent:3", "fluent-bit:2", "exporter:2"],
    ],
    [
      "other sidecars don't come with any other edit",
      recorded(2, {}, 2),
      { live: stored(2) },
      ["agent:3", "fluent-bit:1", "exporter:1"],
    ],
  ])("%s", (_, cluster, rest, [agent, fluentBit, exporter]) => {
    expect(imagesOf(plan(cluster, { images: newImages, ...rest }))).toEqual({
      mysqld: "mysql:8.4",
      agent,
      "slow-log": fluentBit,
      "mysqld-exporter": exporter,
    });
  });

  test("a sidecar that is new gets what the flags name", () => {
    const live = plan(recorded(2, { collectors: [] })).statefulSet as StatefulSet;
    expect(imagesOf(plan(recorded(2, {}, 2), { live, images: newImages }))).toMatchObject({
      "slow-log": "fluent-bit:1",
      "mysqld-exporter": "exporter:2",
    });
  });
});

test("a slow-log container that an earlier MOCO made stays as it is until an edit restarts mysqld", () => {
  const live = stored(1);
  const slowLog = live.spec!.template.spec!.containers.find(({ name }) => name === "slow-log")!;
  Object.assign(slowLog, { resources: {}, imagePullPolicy: "IfNotPresent", terminationMessagePath: "/dev/null" });
  const kept = plan(recorded(1), { live }).statefulSet.spec!.template!.spec!.containers![2];
  const { resources: _r, imagePullPolicy: _i, terminationMessagePath: _t, ...expected } = slowLog;
  expect(kept).toEqual(expected);
  const renewed = plan(recorded(1, {}, 2), { live, changesPods: yes }).statefulSet.spec!.template!.spec!.containers![2];
  expect(renewed).toMatchObject({ resources: { requests: { memory: "20Mi" } } });
});

test("whether Pods would change is only asked of an edited cluster that has some, and of what it has now", () => {
  const changesPods = vi.fn<PlanInput["changesPods"]>(() => false);
  plan(recorded(undefined), { changesPods });
  plan(recorded(1), { changesPods, live: stored(1) });
  expect(changesPods).not.toHaveBeenCalled();
  const { statefulSet } = plan(recorded(1, {}, 2), { changesPods, live: stored(1) });
  expect(changesPods).toHaveBeenCalledExactlyOnceWith(statefulSet);
});

test("the ConfigMaps are those that the StatefulSet mounts", () => {
  const { myCnf, fluentBit, statefulSet } = plan(recorded(undefined));
  const mounted = statefulSet.spec!.template!.spec!.volumes!.flatMap(({ configMap }) => configMap?.name ?? []);
  expect(mounted).toEqual([myCnf.metadata.name, fluentBit!.metadata.name]);
  const without = plan(recorded(undefined, { disableSlowQueryLogContainer: true }));
  expect(without.fluentBit).toBeUndefined();
});
