import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { SimulatedClock } from "@moco-ts/base";
import { startKubelets, statisticsOf } from "../testing/fake-kubelets.ts";
import { KubeletUsage } from "./kubelet.ts";

const { signal } = new AbortController();

test("volumes of all nodes are found", async () => {
  const source = new KubeletUsage({
    ...(await startKubelets({ one: statisticsOf("a/x", 100, 50), two: statisticsOf("a/y", 200, 20), three: "" })),
    timeout: 10_000,
  });
  const { volumes, failures } = await source.read(signal);
  expect(failures).toEqual([]);
  expect(Object.fromEntries(volumes)).toEqual({
    "a/x": { capacity: 100, available: 50, inodes: 1000, inodesFree: 900 },
    "a/y": { capacity: 200, available: 20, inodes: 1000, inodesFree: 900 },
  });
});

test("a node that refuses, hangs, hangs up or is cut off does not keep the others from telling", async () => {
  const clock = new SimulatedClock();
  const answers = {
    good: statisticsOf("a/x", 100, 50),
    refusing: (response: ServerResponse) => response.writeHead(403).end("forbidden"),
    failing: (response: ServerResponse) => response.writeHead(502).end("bad gateway"),
    hanging: () => undefined,
    gone: (response: ServerResponse) => response.destroy(),
    cut: (response: ServerResponse) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write(statisticsOf("a/half", 100, 0), () => response.destroy());
    },
  };
  const kubelets = await startKubelets(answers, clock);
  const reading = new KubeletUsage({ ...kubelets, timeout: 10_000 }).read(signal);
  for (const status of [200, 403, 502]) {
    await expect.poll(() => kubelets.got(status), { timeout: 30_000 }).toBe(1);
  }
  await clock.advance(10_000);
  const { volumes, failures } = await reading;
  expect([...volumes.keys()]).toEqual(["a/x"]);
  expect(failures.map((failure) => failure.source).sort()).toEqual([
    "node cut",
    "node failing",
    "node gone",
    "node hanging",
    "node refusing",
  ]);
  expect(String(failures.find((failure) => failure.source === "node refusing")?.error)).toContain("403 forbidden");
}, 60_000);

test("of a volume that two nodes tell of, the larger one is the newer one, and then the fuller one", async () => {
  const source = new KubeletUsage({
    ...(await startKubelets({
      old: statisticsOf("a/grown", 100, 5) + statisticsOf("a/shared", 100, 20),
      new: statisticsOf("a/grown", 200, 105) + statisticsOf("a/shared", 100, 10),
    })),
    timeout: 10_000,
  });
  const { volumes } = await source.read(signal);
  expect(volumes.get("a/grown")).toMatchObject({ capacity: 200, available: 105 });
  expect(volumes.get("a/shared")).toMatchObject({ capacity: 100, available: 10 });
});

test("not more nodes than that are asked at the same time", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `node-${index}`);
  const kubelets = await startKubelets(
    Object.fromEntries(names.map((name) => [name, statisticsOf(`a/${name}`, 10, 5)])),
  );
  const source = new KubeletUsage({ ...kubelets, timeout: 5000, concurrency: 4 });
  expect((await source.read(signal)).volumes.size).toBe(40);
  expect(kubelets.busiest()).toBeLessThanOrEqual(4);
});

test("the end of the program ends the reading", async () => {
  const source = new KubeletUsage({ ...(await startKubelets({ hanging: () => undefined })), timeout: 60_000 });
  const ending = new AbortController();
  const reading = source.read(ending.signal);
  ending.abort(new Error("the end"));
  await expect(reading).rejects.toThrow("the end");
});
