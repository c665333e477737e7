import type { ContainerStatus, Pod, PodStatus } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { problemOf } from "./pod-problem.ts";

function pod(status: PodStatus): Pod {
  return { metadata: { name: "moco-test-0" }, status };
}

function mysqld(given: Partial<ContainerStatus>): ContainerStatus {
  return { name: "mysqld", image: "mysql:8.4", imageID: "", ready: false, restartCount: 0, ...given };
}

const failing = [mysqld({ state: { waiting: { reason: "ImagePullBackOff" } } })];
const full = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes are available" };
const evicted = { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." };

test.each<[string, PodStatus, string | undefined]>([
  ["nothing is known yet", {}, undefined],
  ["it starts", { containerStatuses: [mysqld({ state: { running: {} } })] }, undefined],
  [
    "a container fails",
    { containerStatuses: failing },
    "container mysqld does not start: its image mysql:8.4 can't be pulled",
  ],
  ["there is no room for it", { conditions: [full] }, "no node takes it: 0/1 nodes are available"],
  ["its node needs the memory", evicted, "it has ended (Evicted): The node was low on resource: memory."],
  ["it is Ready", { conditions: [{ type: "Ready", status: "True" }], containerStatuses: failing }, undefined],
])("what keeps a pod from becoming Ready: %s", (_title, status, expected) => {
  expect(problemOf(pod(status))).toBe(expected);
});
