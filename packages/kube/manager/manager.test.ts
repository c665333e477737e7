import { createLogger, Metrics, raceAbort, SimulatedClock, systemClock } from "@moco-ts/base";
import { describe, expect, it, vi } from "vitest";
import { MemoryInformer } from "../controller/testing/memory-informer.ts";
import { EventRecorder } from "../events/recorder.ts";
import { EventServer } from "../events/testing/event-server.ts";
import { LeaderElection } from "../lease/election.ts";
import { SimulatedProcess, World } from "../lease/testing/simulation.ts";
import { ConfigMaps } from "../types/generated/index.ts";
import type { Component } from "./component.ts";
import { createManager, type ManagerOptions } from "./manager.ts";

/** Things that happen, in order. */
function journal() {
  const entries: string[] = [];
  const component = (name: string, options: Partial<Component> = {}): Component => ({
    name,
    async run(signal, ready) {
      entries.push(`${name} starts`);
      ready();
      await raceAbort(new Promise<never>(() => undefined), signal).catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      entries.push(`${name} ends`);
    },
    ...options,
  });
  return { entries, component };
}

function setUp(options: Partial<ManagerOptions> = {}) {
  const ports: Record<string, number> = {};
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const stop = new AbortController();
  const manager = createManager({
    healthAddress: "0",
    metricsAddress: "0",
    metrics: new Metrics(),
    logger,
    onListening: (server, port) => (ports[server] = port),
    exit: () => undefined,
    ...options,
  });
  const running = manager.run(stop.signal);
  const outcome = running.then(
    () => "ended",
    (error: Error) => error,
  );
  const get = async (server: string, path: string) => {
    const response = await fetch(`http://127.0.0.1:${ports[server]}${path}`);
    return { status: response.status, text: await response.text() };
  };
  return { stop, outcome, ports, lines, get };
}

/** An election among candidates of one simulated API server. */
function simulatedElection(world = new World(1)) {
  const { client, clock } = new SimulatedProcess(world, 1);
  const election = new LeaderElection({ client, clock, identity: "us", namespace: "ns", name: "moco" });
  return { world, election };
}

describe("order", () => {
  it("starts servers, caches, what runs everywhere, and what only the leader runs; stops in reverse", async () => {
    const { entries, component } = journal();
    const world = new World(1);
    world.create({ metadata: {}, spec: { holderIdentity: "other", leaseDurationSeconds: 15 } });
    const { election } = simulatedElection(world);
    const cache = component("cache");
    const informer = new MemoryInformer(ConfigMaps, (signal) => cache.run(signal, () => undefined));
    const events = new EventServer();
    const recorder = new EventRecorder({ client: events.client, component: "test" });
    const { stop, outcome } = setUp({
      servers: [component("webhooks")],
      informers: [informer],
      components: [component("controller"), component("loop", { needLeaderElection: false })],
      election,
      events: [recorder],
    });
    await vi.waitFor(() => expect(entries).toEqual(["webhooks starts", "cache starts"]));
    informer.sync();
    await vi.waitFor(() => expect(entries.slice(2)).toEqual(["loop starts"]));
    await world.time.advance(16_000);
    expect(entries.slice(3)).toEqual(["controller starts"]);
    expect(world.holder).toBe("us");

    recorder.record({ kind: "Pod", name: "a" }, { type: "Normal", reason: "Stopping", message: "goodbye" });
    stop.abort();
    expect(election.isHeld()).toBe(true);
    await vi.waitFor(async () => {
      await world.time.advance(0);
      expect(entries.at(-1)).toBe("webhooks ends");
    });
    expect(await outcome).toBe("ended");
    expect(entries.slice(4)).toEqual(["loop ends", "controller ends", "cache ends", "webhooks ends"]);
    expect(world.holder).toBeUndefined();
    expect(events.events).toMatchObject([{ message: "goodbye" }]);
  });

  it("stops while it is still starting", async () => {
    const { entries, component } = journal();
    const cache = component("cache");
    const informer = new MemoryInformer(ConfigMaps, (signal) => cache.run(signal, () => undefined));
    const { stop, outcome } = setUp({ informers: [informer], components: [component("controller")] });
    await vi.waitFor(() => expect(entries).toEqual(["cache starts"]));
    stop.abort();
    expect(await outcome).toBe("ended");
    expect(entries).toEqual(["cache starts", "cache ends"]);
  });
});

describe("failures", () => {
  it("of one component end all the others in order, and the program with an error", async () => {
    const { entries, component } = journal();
    const failing = component("failing", { run: () => Promise.reject(new Error("no quorum")) });
    const { outcome } = setUp({ servers: [component("webhooks")], components: [component("controller"), failing] });
    expect(await outcome).toMatchObject({ message: "component failing failed", cause: { message: "no quorum" } });
    expect(entries).toEqual(["webhooks starts", "controller starts", "controller ends", "webhooks ends"]);
  });

  it("include a component that ends by itself, or throws before it begins", async () => {
    const { component } = journal();
    const ends = setUp({ components: [component("ends", { run: async () => undefined })] });
    expect(await ends.outcome).toMatchObject({ cause: { code: "COMPONENT_ENDED" } });
    const throws = component("throws", {
      run: () => {
        throw new TypeError("a bug");
      },
    });
    expect(await setUp({ components: [throws] }).outcome).toMatchObject({ cause: { message: "a bug" } });
  });

  it("include an address that is taken, before anything else begins", async () => {
    const first = setUp({ healthAddress: "127.0.0.1:0" });
    await vi.waitFor(() => expect(first.ports["health"]).toBeDefined());
    const { entries, component } = journal();
    const second = setUp({
      healthAddress: `127.0.0.1:${first.ports["health"]}`,
      components: [component("controller")],
    });
    expect(await second.outcome).toMatchObject({ cause: { code: "EADDRINUSE" } });
    expect(entries).toEqual([]);
    first.stop.abort();
    expect(await first.outcome).toBe("ended");
  });

  it("to stop in time are told by name, and the lease is kept then", async () => {
    const clock = new SimulatedClock();
    const { component } = journal();
    const { world, election } = simulatedElection();
    const stuck = component("stuck", { run: () => new Promise(() => undefined) });
    const { stop, outcome, lines } = setUp({ components: [stuck], election, clock, shutdownDeadline: 5000 });
    await world.time.advance(0);
    await vi.waitFor(() => expect(lines.map(({ msg }) => msg)).toContain("started"));
    stop.abort();
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    await clock.advance(5000);
    expect(await outcome).toMatchObject({ code: "SHUTDOWN_INCOMPLETE", message: "still running: stuck" });
    expect(world.holder).toBe("us");
  });
});

it("ends the process at once when the leadership is lost, before anything else is done", async () => {
  const { entries, component } = journal();
  const { world, election } = simulatedElection();
  const exits: [number, readonly string[]][] = [];
  const { outcome, lines } = setUp({
    components: [component("controller")],
    election,
    exit: (code) => exits.push([code, [...entries]]),
  });
  await world.time.advance(0);
  await vi.waitFor(() => expect(lines.map(({ msg }) => msg)).toContain("started"));
  world.time.freeze(20_000);
  expect(() => election.assertHeld()).toThrow("us no longer leads");
  expect(exits).toEqual([[1, ["controller starts"]]]);
  expect(await outcome).toMatchObject({ code: "LEADERSHIP_LOST" });
});

describe("probes", () => {
  it("say ok, or what is wrong, and everything if asked", async () => {
    const informer = new MemoryInformer(ConfigMaps);
    let healthy = true;
    const { stop, outcome, ports, get } = setUp({
      healthAddress: "127.0.0.1:0",
      metricsAddress: "127.0.0.1:0",
      informers: [informer],
      healthChecks: {
        database: async () => {
          if (!healthy) throw new Error("no answer");
        },
      },
      clock: systemClock,
    });
    await vi.waitFor(() => expect(Object.keys(ports)).toHaveLength(2));
    expect(await get("health", "/healthz")).toEqual({ status: 200, text: "ok" });
    expect(await get("health", "/healthz?verbose")).toEqual({
      status: 200,
      text: "[+]ping ok\n[+]database ok\nhealthz check passed\n",
    });
    expect(await get("health", "/readyz")).toEqual({
      status: 500,
      text: "[+]ping ok\n[-]caches failed: not complete: configmaps\n[+]shutdown ok\nreadyz check failed\n",
    });
    expect(await get("health", "/readyz?exclude=caches")).toEqual({ status: 200, text: "ok" });
    informer.sync();
    expect(await get("health", "/readyz")).toEqual({ status: 200, text: "ok" });

    healthy = false;
    expect(await get("health", "/healthz")).toMatchObject({ status: 500 });
    expect(await get("health", "/healthz/database")).toEqual({
      status: 500,
      text: "[-]database failed: no answer\nhealthz/database check failed\n",
    });
    expect(await get("health", "/healthz/ping")).toEqual({ status: 200, text: "ok" });
    expect(await get("health", "/healthz/nothing")).toMatchObject({ status: 404 });
    expect(await get("health", "/metrics")).toMatchObject({ status: 404 });
    stop.abort();
    expect(await outcome).toBe("ended");
  });

  it("have metrics of the process and of the event loop", async () => {
    const metrics = new Metrics();
    const { stop, outcome, ports, get } = setUp({ metricsAddress: "127.0.0.1:0", metrics });
    await vi.waitFor(() => expect(ports["metrics"]).toBeDefined());
    const { status, text } = await get("metrics", "/metrics");
    expect(status).toBe(200);
    expect(text).toContain("process_resident_memory_bytes ");
    expect(text).toContain("process_cpu_seconds_total ");
    expect(text).toContain("nodejs_eventloop_lag_p99_seconds ");
    const refused = await fetch(`http://127.0.0.1:${ports["metrics"]}/metrics`, { method: "POST" });
    expect(refused.status).toBe(405);
    stop.abort();
    expect(await outcome).toBe("ended");
  });
});
