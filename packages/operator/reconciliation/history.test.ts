import { expect, it } from "vitest";
import type { ConfigMap, PodSpec } from "@moco-ts/kube";
import { keptConfigMaps } from "./history.ts";

function made(...names: string[]): ConfigMap[] {
  return names.map((name, index) => ({
    metadata: { name, creationTimestamp: `2026-01-0${index + 1}T00:00:00Z` },
  }));
}

function mounting(name: string): PodSpec {
  return { volumes: [{ name: "mysql-conf", configMap: { name } }], containers: [] };
}

it("keeps the newest ones", () => {
  expect(keptConfigMaps(made("a", "b", "c"), 2, "c", [])).toEqual(["c", "b"]);
});

it("keeps what Pods mount and what they will mount, however old and however small the limit", () => {
  const pods = [mounting("a"), mounting("c"), mounting("a"), undefined];
  expect(keptConfigMaps(made("a", "b", "c", "d"), 1, "b", pods)).toEqual(["c", "b", "a"]);
});
