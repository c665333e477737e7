import { afterAll, beforeAll, expect, test } from "vitest";
import { startOperatorCluster, type OperatorCluster } from "../testing/index.ts";
import { healthyCluster, rolledOut, template, unhurried } from "./clusters.ts";
import { whileWriting } from "./interruptions.ts";
import { Members } from "./members.ts";

let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "rollout" });
});
afterAll(() => operator?.down());

test(
  "a changed template rolls out pod by pod, writers pause once, and every acknowledged row is there",
  unhurried,
  async () => {
    await healthyCluster(operator, "three", 3);
    const members = await Members.follow(operator, "three", 3);
    const cost = await whileWriting(operator, "three", async () => {
      await operator.patch("three", template("2"));
      await rolledOut(operator, "three", "2", 3);
    });
    members.stop();
    expect(members.mostDown, members.worst).toBe(1);
    expect(members.restarts.map(({ pod }) => pod)).toEqual(["moco-three-2", "moco-three-1", "moco-three-0"]);
    expect(cost.changes).toEqual(["SwitchOver"]);
    expect(cost.interruptions).toBeLessThanOrEqual(1);
    const status = await operator.kubectl("rollout", "status", "statefulset", "moco-three", "--watch=false");
    expect(status).toBe("partitioned roll out complete: 3 new pods have been updated...");
    console.log(`restarts ${JSON.stringify(members.restarts.map(({ from, to }) => to - from))} ms`);
  },
);
