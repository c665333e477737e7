import type { StatefulSet } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { withTemplatesInUse } from "./templates.ts";

const claim = (name: string, size = "1Gi") => ({
  metadata: { name },
  spec: { resources: { requests: { storage: size } } },
});

function stored(names: string[], mounted: string[], status: Partial<StatefulSet["status"]> = {}): StatefulSet {
  const volumeMounts = mounted.map((name) => ({ name, mountPath: `/${name}` }));
  return {
    metadata: { name: "moco-test", generation: 3 },
    spec: {
      selector: {},
      template: { spec: { containers: [{ name: "mysqld", volumeMounts }] } },
      volumeClaimTemplates: names.map((name) => claim(name)),
    },
    status: { replicas: 1, observedGeneration: 3, currentRevision: "a", updateRevision: "a", ...status },
  };
}

function templatesOf(live: StatefulSet | undefined, ...wanted: ReturnType<typeof claim>[]) {
  const configuration = { metadata: { name: "moco-test" }, spec: { volumeClaimTemplates: wanted } };
  const { spec } = withTemplatesInUse(configuration, live);
  return spec?.volumeClaimTemplates?.map(
    (each) => `${each.metadata?.name} ${each.spec?.resources?.requests?.["storage"]}`,
  );
}

test("a template that is not wanted any more goes when nothing mounts it", () => {
  expect(templatesOf(stored(["data", "logs"], ["data"]), claim("data"))).toEqual(["data 1Gi"]);
});

test("it stays as long as the Pods' template mounts it, or an update is under way", () => {
  const both = ["data 2Gi", "logs 1Gi"];
  expect(templatesOf(stored(["data", "logs"], ["data", "logs"]), claim("data", "2Gi"))).toEqual(both);
  const updating = stored(["data", "logs"], ["data"], { updateRevision: "b" });
  expect(templatesOf(updating, claim("data", "2Gi"))).toEqual(both);
  const unseen = stored(["data", "logs"], ["data"], { observedGeneration: 2 });
  expect(templatesOf(unseen, claim("data", "2Gi"))).toEqual(both);
});

test("new ones come last, and an order of one's own is no change", () => {
  const live = stored(["data", "logs"], ["data", "logs"]);
  expect(templatesOf(live, claim("more"), claim("logs"), claim("data"))).toEqual(["data 1Gi", "logs 1Gi", "more 1Gi"]);
  expect(templatesOf(undefined, claim("b"), claim("a"))).toEqual(["b 1Gi", "a 1Gi"]);
});
