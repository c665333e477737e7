import { SimulatedClock } from "@moco-ts/base";
import { expect, it } from "vitest";
import { ConfigMaps, Nodes, Pods, StatefulSets, type ConfigMap, type Pod } from "../types/generated/index.ts";
import { keyOf, type ObjectMeta } from "../types/object.ts";
import { annotationsChanged, anyOf, specChanged, type Change } from "./change.ts";
import { changesOf, every, ownedBy, type Source } from "./source.ts";
import { MemoryInformer } from "./testing/memory-informer.ts";

const configMap = (metadata: ObjectMeta = {}): ConfigMap => ({ metadata: { namespace: "ns", name: "a", ...metadata } });

/** Starts a source and notes what it gives. */
function listen(source: Source, clock = new SimulatedClock()) {
  const given: string[] = [];
  const stop = source.start({ enqueue: (key, priority) => given.push(`${key} ${priority}`), clock });
  return { clock, stop, take: () => given.splice(0) };
}

it("gives what a person edited first and what was there already last", () => {
  const informer = new MemoryInformer(ConfigMaps);
  informer.set(configMap({ generation: 1 }));
  const { take, stop } = listen(changesOf(informer));
  expect(take()).toEqual(["ns/a low"]);
  informer.set(configMap({ name: "listed later" }));
  expect(take()).toEqual(["ns/listed later low"]);
  informer.sync();
  informer.set(configMap({ name: "b" }));
  expect(take()).toEqual(["ns/b high"]);
  informer.set(configMap({ generation: 1, resourceVersion: "2" }));
  expect(take()).toEqual(["ns/a normal"]);
  informer.set(configMap({ generation: 1, annotations: { stop: "true" } }));
  expect(take()).toEqual(["ns/a high"]);
  informer.set(configMap({ generation: 2, annotations: { stop: "true" } }));
  expect(take()).toEqual(["ns/a high"]);
  informer.delete("ns/a");
  expect(take()).toEqual(["ns/a high"]);
  stop();
  informer.set(configMap());
  expect(take()).toEqual([]);
});

it("gives the keys of both owners when an object changes hands", () => {
  const informer = new MemoryInformer(Pods);
  informer.sync();
  const { take } = listen(changesOf(informer, { map: ownedBy(StatefulSets) }));
  const pod = (owner: string, apiVersion = "apps/v1", kind = "StatefulSet", controller = true): Pod => ({
    metadata: {
      namespace: "ns",
      name: "web-0",
      ownerReferences: [
        { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "1" },
        { apiVersion, kind, name: owner, uid: "2", controller },
      ],
    },
  });
  informer.set(pod("one"));
  expect(take()).toEqual(["ns/one normal"]);
  informer.set(pod("two", "apps/v1beta1"));
  expect(take()).toEqual(["ns/one normal", "ns/two normal"]);
  informer.set(pod("two", "other/v1"));
  expect(take()).toEqual(["ns/two normal"]);
  informer.set(pod("two", "apps/v1", "Deployment"));
  informer.set(pod("two", "apps/v1", "StatefulSet", false));
  expect(take()).toEqual([]);
});

it("finds cluster-scoped owners by name alone", () => {
  const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: "node-1", uid: "1", controller: true }];
  expect(ownedBy(Nodes)({ metadata: { namespace: "ns", name: "mirror", ownerReferences } })).toEqual(["node-1"]);
});

it("keeps to its predicate, and looks when the predicate fails", () => {
  const informer = new MemoryInformer(ConfigMaps);
  informer.sync();
  let broken = false;
  const when = (change: Change<ConfigMap>): boolean => {
    if (broken) throw new TypeError("a bug");
    return anyOf(specChanged, annotationsChanged)(change);
  };
  const { take } = listen(changesOf(informer, { when, priority: () => "normal" }));
  informer.set(configMap({ generation: 1 }));
  expect(take()).toEqual(["ns/a normal"]);
  informer.set(configMap({ generation: 1, labels: { a: "b" } }));
  expect(take()).toEqual([]);
  informer.set(configMap({ generation: 2 }));
  expect(take()).not.toEqual([]);
  broken = true;
  informer.set(configMap({ generation: 2, labels: { a: "b" } }));
  expect(take()).not.toEqual([]);
});

it("looks again and again by the clock, until it is stopped", async () => {
  const informer = new MemoryInformer(ConfigMaps);
  const { clock, take, stop } = listen(every(60_000, () => informer.cache.list().map(keyOf)));
  informer.set(configMap());
  await clock.advance(59_999);
  expect(take()).toEqual([]);
  await clock.advance(1);
  expect(take()).toEqual(["ns/a low"]);
  informer.set(configMap({ name: "b" }));
  await clock.advance(120_000);
  expect(take()).toEqual(["ns/a low", "ns/b low", "ns/a low", "ns/b low"]);
  stop();
  expect(clock.pending).toBe(0);
});
