import { annotationKeys, labelKeys, type MySQLCluster } from "@moco-ts/api";
import type { Pod } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { judge } from "./wait.ts";

const clusterOf = (currentPrimaryIndex: number): MySQLCluster =>
  ({ metadata: { namespace: "default", name: "test" }, status: { currentPrimaryIndex } }) as MySQLCluster;

function pod(index: number, options: { asked?: boolean; role?: string; ready?: boolean; version?: string } = {}): Pod {
  const { asked = false, role = "replica", ready = true, version = "10" } = options;
  return {
    metadata: {
      name: `moco-test-${index}`,
      resourceVersion: version,
      annotations: asked ? { [annotationKeys.demote]: "true" } : {},
      labels: { [labelKeys.role]: role },
    },
    status: { conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  };
}

const asked = pod(0, { asked: true });
const podsOf = (...pods: Pod[]) => new Map(pods.map((each) => [each.metadata!.name!, each]));
const judged = (cluster: MySQLCluster | undefined, ...pods: Pod[]) =>
  judge({ cluster, pods: podsOf(...pods) }, 0, asked);

test("a request that is still on the Pod is waited for", () => {
  expect(judged(clusterOf(0), asked, pod(1))).toEqual({ state: "waiting" });
});

test("a request that is not yet seen on the Pod is waited for", () => {
  expect(judged(clusterOf(0), pod(0, { version: "9" }), pod(1))).toEqual({ state: "waiting" });
});

test("a Pod that is gone is waited for: another one becomes the primary", () => {
  expect(judged(clusterOf(0), pod(1))).toEqual({ state: "waiting" });
});

test("a request that was taken away without a new primary was given up", () => {
  expect(judged(clusterOf(0), pod(0, { version: "11" }), pod(1))).toEqual({ state: "given up" });
  expect(judged(undefined)).toEqual({ state: "given up" });
});

test("it is done when the new primary serves", () => {
  expect(judged(clusterOf(1), asked, pod(1))).toEqual({ state: "waiting" });
  expect(judged(clusterOf(1), asked, pod(1, { role: "primary", ready: false }))).toEqual({ state: "waiting" });
  expect(judged(clusterOf(1), asked, pod(1, { role: "primary" }))).toEqual({ state: "done", reached: 1 });
});
