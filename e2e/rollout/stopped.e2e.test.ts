/** Rolling updates that can't go on, and how they do. */
import type { MySQLCluster } from "@moco-ts/api";
import type { Event, Pod } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import { images, manifest, Plugin, startOperatorCluster, Writer, type OperatorCluster } from "../testing/index.ts";
import {
  healthyCluster,
  partition,
  rolledOut,
  rolloutPatience,
  template,
  told,
  unhurried,
  versions,
} from "./clusters.ts";
import { Members } from "./members.ts";

let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "rollout-stopped" });
});
afterAll(() => operator?.down());

const rolloutStatus = (cluster: string) =>
  operator.kubectl("rollout", "status", "statefulset", `moco-${cluster}`, "--watch=false");

test(
  "an updated pod that fails stops the rollout: condition, event and kubectl moco status say which, why, and what to do",
  unhurried,
  async () => {
    await healthyCluster(operator, "three", 3);
    const writer = await Writer.start(operator, "three");
    const members = await Members.follow(operator, "three", 3);
    await operator.patch("three", template("wrong", "localhost/moco-ts/no-such-image:1"));
    const text =
      /^True PodFailed moco-three-2 was updated and fails: container \S+ does not start: its image localhost\/moco-ts\/no-such-image:1 can't be pulled\. No other Pod is touched\. Correct the MySQLCluster/;
    await expect.poll(() => told(operator, "three"), rolloutPatience).toMatch(text);
    expect([await partition(operator, "three"), ...(await versions(operator, "three"))]).toEqual([
      2,
      "1",
      "1",
      "wrong",
    ]);
    expect(await rolloutStatus("three")).toBe("Waiting for 1 pods to be ready...");
    const events = () => operator.list<Event>("events", "--field-selector", "reason=RolloutStopped");
    await expect.poll(events, rolloutPatience).toMatchObject([{ type: "Warning", involvedObject: { name: "three" } }]);
    const { output } = await (await Plugin.install(operator)).run(["status", "three"]);
    expect(output).toMatch(
      /stopped: 1 of 3 Pods are of the newest template, partition 2\n +moco-three-2 was updated and/,
    );
    expect(output).toContain("Correct the MySQLCluster: the rollout then starts again with this Pod");

    // A corrected manifest starts it again.
    await operator.patch("three", template("right", images.mysql));
    await rolledOut(operator, "three", "right", 3);
    members.stop();
    expect(members.mostDown, members.worst).toBe(1);
    expect((await writer.stop()).lost).toEqual([]);
    expect(await rolloutStatus("three")).toBe("partitioned roll out complete: 3 new pods have been updated...");
  },
);

test("a partition that a person patches is honoured", unhurried, async () => {
  await operator.kubectl("annotate", "mysqlcluster", "three", "moco.cybozu.com/reconciliation-stopped=true");
  await operator.kubectl("rollout", "restart", "statefulset", "moco-three");
  await expect
    .poll(() => told(operator, "three"), rolloutPatience)
    .toMatch(/0 of 3 pods are updated: reconciliation is stopped/);
  const patch = { spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } } };
  await operator.kubectl("patch", "statefulset", "moco-three", "-p", JSON.stringify(patch));
  await expect
    .poll(() => rolloutStatus("three"), rolloutPatience)
    .toBe("partitioned roll out complete: 1 new pods have been updated...");
  expect(await partition(operator, "three")).toBe(2);
  await operator.kubectl("annotate", "mysqlcluster", "three", "moco.cybozu.com/reconciliation-stopped-");
  await rolledOut(operator, "three", "right", 3);
  expect(await rolloutStatus("three")).toBe("partitioned roll out complete: 3 new pods have been updated...");
});

test("a cluster that never worked takes a corrected image on all its pods", unhurried, async () => {
  const wrong = template("1", "localhost/moco-ts/no-such-image:1");
  await operator.apply(manifest({ name: "unborn", replicas: 3, spec: wrong }));
  const failing = async () =>
    (await operator.list<Pod>("pods", "-l", "app.kubernetes.io/instance=unborn")).filter(({ status }) =>
      [...(status?.initContainerStatuses ?? [])].some(({ state }) => state?.waiting?.reason?.includes("Image")),
    ).length;
  await expect.poll(failing, rolloutPatience).toBe(3);
  const initialized = async () => {
    const { status } = await operator.get<MySQLCluster>("mysqlcluster", "unborn");
    return status?.conditions?.find(({ type }) => type === "Initialized")?.status;
  };
  await expect.poll(initialized, rolloutPatience).toBe("False");
  await operator.patch("unborn", template("2"));
  await rolledOut(operator, "unborn", "2", 3);
});
