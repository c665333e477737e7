import { Metrics, SimulatedClock } from "@moco-ts/base";
import { describe, expect, it } from "vitest";
import { ConnectionError, KubeError } from "../rest/errors.ts";
import type { EventContent } from "./correlate.ts";
import { EventRecorder, type EventRecorderOptions } from "./recorder.ts";
import { EventServer } from "./testing/event-server.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "default", name: "web-0", uid: "u1", resourceVersion: "7", labels: { a: "b" } },
};

function setUp(options: Partial<EventRecorderOptions> = {}) {
  const clock = new SimulatedClock();
  const server = new EventServer();
  const metrics = new Metrics();
  const recorder = new EventRecorder({
    client: server.client,
    component: "moco-controller",
    clock,
    metrics,
    ...options,
  });
  const record = (message: string, content: Partial<EventContent> = {}, regarding: object = pod): void =>
    recorder.record(regarding, { type: "Normal", reason: "Resized", message, ...content });
  return { clock, server, metrics, recorder, record };
}

describe("core/v1", () => {
  it("says what, about which object, from whom and when", async () => {
    const { clock, server, record } = setUp({ instance: "node-1" });
    record("the volume is 2Gi now");
    await clock.advance(0);
    expect(server.events).toEqual([
      {
        metadata: { namespace: "default", name: expect.stringMatching(/^web-0\.[0-9a-f]{16}$/) },
        involvedObject: {
          apiVersion: "v1",
          kind: "Pod",
          namespace: "default",
          name: "web-0",
          uid: "u1",
          resourceVersion: "7",
        },
        type: "Normal",
        reason: "Resized",
        message: "the volume is 2Gi now",
        count: 1,
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:00Z",
        source: { component: "moco-controller" },
        reportingComponent: "moco-controller",
        reportingInstance: "node-1",
      },
    ]);
  });

  it("counts equal events in one object and tells others apart", async () => {
    const { clock, server, record } = setUp();
    for (let minute = 0; minute < 5; minute++) {
      record("same");
      await clock.advance(60_000);
    }
    record("other");
    record("same", { type: "Warning" });
    record("same", { reason: "Other" });
    record("same", {}, { ...pod, metadata: { ...pod.metadata, uid: "u2" } });
    await clock.advance(0);
    expect(server.events).toHaveLength(5);
    expect(server.events[0]).toMatchObject({
      count: 5,
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:04:00Z",
    });
    expect(server.events.slice(1).map(({ count }) => count)).toEqual([1, 1, 1, 1]);
  });

  it("makes an event anew that has expired on the server, its count kept", async () => {
    const { clock, server, record } = setUp();
    record("same");
    await clock.advance(3 * 3_600_000);
    server.stored.clear();
    record("same");
    await clock.advance(0);
    expect(server.requests).toEqual(["create", "patch", "create"]);
    expect(server.events).toMatchObject([{ count: 2, lastTimestamp: "2026-01-01T03:00:00Z" }]);
  });

  it("puts events of cluster-scoped objects into the default namespace", async () => {
    const { clock, server, record } = setUp();
    record("a", {}, { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } });
    record("b", {}, { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "system:node" });
    await clock.advance(0);
    expect(server.events[0]).toMatchObject({ metadata: { namespace: "default" }, involvedObject: { name: "node-1" } });
    expect(server.events[1]).toMatchObject({ metadata: { name: expect.stringMatching(/^system-node\./) } });
  });
});

describe("events.k8s.io/v1", () => {
  it("makes a series of equal events", async () => {
    const { clock, server, record } = setUp({ api: "events.k8s.io", instance: "node-1" });
    record("the volume is 2Gi now", { action: "Resize" });
    await clock.advance(60_000);
    expect(server.events).toMatchObject([
      {
        eventTime: "2026-01-01T00:00:00.000000Z",
        regarding: { kind: "Pod", name: "web-0" },
        reason: "Resized",
        action: "Resize",
        note: "the volume is 2Gi now",
        reportingController: "moco-controller",
        reportingInstance: "node-1",
      },
    ]);
    expect(server.events[0]).not.toHaveProperty("series");
    record("the volume is 2Gi now", { action: "Resize" });
    await clock.advance(0);
    expect(server.events).toMatchObject([{ series: { count: 2, lastObservedTime: "2026-01-01T00:01:00.000000Z" } }]);
  });
});

describe("a flood", () => {
  it("of equal events is one request at a time, with the right count in the end", async () => {
    const { clock, server, record } = setUp();
    for (let index = 0; index < 1000; index++) record("same");
    await clock.advance(0);
    expect(server.requests.length).toBeLessThanOrEqual(2);
    record("same");
    await clock.advance(0);
    expect(server.events).toMatchObject([{ count: 1001 }]);
  });

  it("about one object is let through once in five minutes after the first 25 requests", async () => {
    const { clock, server, metrics, record } = setUp();
    for (let index = 0; index < 100; index++) {
      record("same");
      await clock.advance(1);
    }
    expect(server.requests).toHaveLength(25);
    expect(await metrics.text()).toContain('kube_events_dropped_total{reason="limited"} 75');
    record("other object", {}, { ...pod, metadata: { ...pod.metadata, name: "web-1" } });
    await clock.advance(5 * 60_000);
    expect(server.requests).toHaveLength(26);
    record("same");
    await clock.advance(0);
    expect(server.requests).toHaveLength(27);
    expect(server.events[0]).toMatchObject({ count: 101 });
  });

  it("of similar messages is combined beyond ten in ten minutes", async () => {
    const { clock, server, record } = setUp();
    for (let index = 0; index < 15; index++) {
      record(`attempt ${index}`);
      await clock.advance(1000);
    }
    record("attempt 3");
    await clock.advance(0);
    expect(server.events).toHaveLength(11);
    expect(server.events[3]).toMatchObject({ message: "attempt 3", count: 2 });
    expect(server.events[10]).toMatchObject({ message: "(combined from similar events): attempt 14", count: 5 });

    await clock.advance(11 * 60_000);
    record("attempt 99");
    await clock.advance(0);
    expect(server.events).toHaveLength(12);
    expect(server.events[11]).toMatchObject({ message: "attempt 99", count: 1 });
  });

  it("beyond the queue is dropped and counted, while the server is away", async () => {
    const { clock, server, metrics, recorder, record } = setUp({ queueSize: 10 });
    server.failure = new ConnectionError("refused");
    for (let index = 0; index < 100; index++) {
      record("same", {}, { ...pod, metadata: { ...pod.metadata, name: `web-${index}` } });
    }
    await clock.advance(10_000);
    server.failure = undefined;
    await clock.advance(20_000);
    expect(server.events).toHaveLength(11); // The one under way, and ten that waited.
    expect(await metrics.text()).toContain('kube_events_dropped_total{reason="full"} 89');
    await recorder.close(new AbortController().signal);
    expect(clock.pending).toBe(0);
  });
});

describe("faults", () => {
  it("does not write twice when only the answer was lost", async () => {
    const { clock, server, record } = setUp();
    server.failure = new ConnectionError("reset");
    server.answersAreLost = true;
    record("same");
    await clock.advance(0);
    server.failure = undefined;
    await clock.advance(1000);
    expect(server.events).toMatchObject([{ count: 1 }]);
  });

  it("gives up what the server refuses and goes on with the next", async () => {
    const { clock, server, metrics, record } = setUp();
    server.failure = new KubeError("namespace is being terminated", { status: 403, reason: "Forbidden" });
    record("one");
    await clock.advance(0);
    server.failure = undefined;
    record("two");
    await clock.advance(0);
    expect(server.events).toMatchObject([{ message: "two" }]);
    expect(await metrics.text()).toContain('kube_events_dropped_total{reason="failed"} 1');
  });

  it("keeps to the server's limits for messages, by bytes and whole characters", async () => {
    const { clock, server, record } = setUp();
    record("ä".repeat(2000));
    await clock.advance(0);
    const message = server.events[0]!["message"] as string;
    expect(message).toMatch(/^ä+\.\.\.$/);
    expect(Buffer.byteLength(message)).toBeGreaterThan(1020);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
  });

  it("gives names that are unique and never too long", async () => {
    const { clock, server, record } = setUp({ random: () => 0.5 });
    const long = { ...pod, metadata: { namespace: "default", name: "x".repeat(253) } };
    for (let index = 0; index < 5; index++) record(`${index}`, {}, long);
    await clock.advance(0);
    const names = server.events.map(({ metadata }) => (metadata as { name: string }).name);
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(253);
  });
});

describe("shutdown", () => {
  it("writes what waits", async () => {
    const { server, recorder, record } = setUp();
    for (let index = 0; index < 5; index++) record(`${index}`);
    await recorder.close(new AbortController().signal);
    expect(server.events).toHaveLength(5);
    record("late");
    expect(server.events).toHaveLength(5);
  });

  it("gives up at its deadline", async () => {
    const { clock, server, recorder, record } = setUp();
    server.failure = new ConnectionError("refused");
    record("one");
    record("two");
    const deadline = new AbortController();
    const closed = recorder.close(deadline.signal);
    await clock.advance(3000);
    deadline.abort();
    await closed;
    expect(clock.pending).toBe(0);
  });
});
