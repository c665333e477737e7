import type { PodDisruptionBudget } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { testCluster } from "../testing/clusters.ts";
import { mocoCluster, mocoObject } from "../testing/moco.ts";
import { buildPodDisruptionBudget } from "./build.ts";

test("the budget is what MOCO makes", () => {
  const built = buildPodDisruptionBudget(mocoCluster(), { backupIsRunning: false })!;
  const { metadata, spec } = mocoObject("PodDisruptionBudget", "moco-full") as PodDisruptionBudget;
  const { generation: _, ...expected } = metadata!;
  expect(built).toEqual({ metadata: expected, spec });
});

test.each([
  { replicas: 1, maxUnavailable: undefined },
  { replicas: 3, maxUnavailable: 1 },
  { replicas: 5, maxUnavailable: 2 },
  { replicas: 7, maxUnavailable: 3 },
  { replicas: 3, offline: true, maxUnavailable: undefined },
  { replicas: 5, backupIsRunning: true, maxUnavailable: 0 },
  { replicas: 1, backupIsRunning: true, maxUnavailable: undefined },
])("%o", ({ replicas, offline = false, backupIsRunning = false, maxUnavailable }) => {
  const budget = buildPodDisruptionBudget(testCluster({ replicas, offline }), { backupIsRunning });
  expect(budget?.spec?.maxUnavailable).toBe(maxUnavailable);
});
