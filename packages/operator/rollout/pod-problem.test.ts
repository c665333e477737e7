import type { ContainerStatus, Pod, PodStatus } from "@moco-ts/kube";
import { describe, expect, test } from "vitest";
import { problemOf } from "./pod-problem.ts";

function pod(status: PodStatus): Pod {
  return { metadata: { name: "moco-test-0" }, status };
}

function container(given: Partial<ContainerStatus>): ContainerStatus {
  return { name: "mysqld", image: "mysql:8.4", imageID: "", ready: false, restartCount: 0, ...given };
}

const ready = [{ type: "Ready", status: "True" }];
const ended = { terminated: { exitCode: 137, reason: "OOMKilled" } };

describe("what keeps a pod from becoming Ready", () => {
  const cases: [string, PodStatus, string | undefined][] = [
    ["nothing yet", {}, undefined],
    [
      "it is being made",
      { containerStatuses: [container({ state: { waiting: { reason: "ContainerCreating" } } })] },
      undefined,
    ],
    ["it starts", { containerStatuses: [container({ state: { running: {} } })] }, undefined],
    [
      "an image, while it is tried",
      { containerStatuses: [container({ state: { waiting: { reason: "ErrImagePull", message: "rpc error" } } })] },
      "the image mysql:8.4 of container mysqld can't be pulled",
    ],
    [
      "an image, between attempts",
      { initContainerStatuses: [container({ state: { waiting: { reason: "ImagePullBackOff" } } })] },
      "the image mysql:8.4 of container mysqld can't be pulled",
    ],
    [
      "a crash, while the next attempt is waited for",
      { containerStatuses: [container({ state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: ended })] },
      "container mysqld ends with exit code 137 (OOMKilled)",
    ],
    [
      "a crash, while the next attempt runs",
      { containerStatuses: [container({ state: { running: {} }, lastState: ended })] },
      "container mysqld ends with exit code 137 (OOMKilled)",
    ],
    [
      "a program that ends, though without an error",
      {
        containerStatuses: [
          container({
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { exitCode: 0, reason: "Completed" } },
          }),
        ],
      },
      "container mysqld ends with exit code 0 (Completed)",
    ],
    [
      "a ConfigMap that is missing",
      {
        containerStatuses: [
          container({
            state: { waiting: { reason: "CreateContainerConfigError", message: 'configmap "a" not found' } },
          }),
        ],
      },
      'container mysqld can\'t start (CreateContainerConfigError): configmap "a" not found',
    ],
    [
      "no room",
      {
        conditions: [
          { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes are available" },
        ],
      },
      "no node takes it: 0/1 nodes are available",
    ],
    [
      "pressure on its node",
      { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." },
      "the pod has ended (Evicted): The node was low on resource: memory.",
    ],
    [
      "nothing, if it is Ready, whatever was before",
      { conditions: ready, containerStatuses: [container({ ready: true, state: { running: {} }, lastState: ended })] },
      undefined,
    ],
    [
      "nothing, if an init container has done its work",
      { initContainerStatuses: [container({ ready: true, state: { terminated: { exitCode: 0 } } })] },
      undefined,
    ],
  ];
  test.each(cases)("%s", (_title, status, expected) => expect(problemOf(pod(status))).toBe(expected));
});
