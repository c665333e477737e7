import { CodedError, createLogger, Metrics, SimulatedClock, sleep } from "@moco-ts/base";
import { describe, expect, it } from "vitest";
import type { EventContent } from "../events/correlate.ts";
import { LeadershipError } from "../lease/leadership.ts";
import { KubeError } from "../rest/errors.ts";
import { ConfigMaps } from "../types/generated/index.ts";
import type { Key, KubeObject } from "../types/object.ts";
import { createController, type ControllerOptions, type ReconcileContext } from "./controller.ts";
import { done, requeue, requeueAfter, TerminalError, type Outcome } from "./outcome.ts";
import { changesOf } from "./source.ts";
import { MemoryInformer } from "./testing/memory-informer.ts";

type Reconcile = (key: Key, context: ReconcileContext & { clock: SimulatedClock }) => Promise<Outcome>;

function setUp(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = new SimulatedClock();
  const informer = new MemoryInformer(ConfigMaps);
  const metrics = new Metrics();
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const recorded: ({ name: string | undefined } & EventContent)[] = [];
  const events = {
    record: (regarding: KubeObject, content: EventContent) =>
      void recorded.push({ name: regarding.metadata?.name, ...content }),
  };
  /** Which key was begun when. */
  const runs: [Key, number][] = [];
  const controller = createController({
    name: "things",
    sources: [changesOf(informer)],
    reconcile: (key, context) => {
      runs.push([key, clock.monotonic()]);
      return reconcile(key, { ...context, clock });
    },
    backoff: { initial: 100, maximum: 1000 },
    clock,
    logger,
    metrics,
    events,
    ...options,
  });
  const stop = new AbortController();
  informer.sync();
  const running = controller.run(stop.signal);
  const change = (name: string): void => informer.set({ metadata: { namespace: "ns", name } });
  const metric = async (name: string): Promise<string[]> =>
    (await metrics.text()).split("\n").filter((line) => line.startsWith(`controller_runtime_${name}`));
  const errors = (): unknown[] => lines.filter(({ level }) => level === "error").map(({ msg }) => msg);
  return { clock, informer, controller, lines, recorded, runs, stop, running, change, metric, errors };
}

const conflict = new KubeError("the object has been modified", { status: 409, reason: "Conflict" });

describe("what an outcome leads to", () => {
  it("done: nothing until the object changes", async () => {
    const { clock, runs, change, metric, errors } = setUp(async () => done);
    change("a");
    await clock.advance(60_000);
    change("a");
    await clock.advance(60_000);
    expect(runs).toEqual([
      ["ns/a", 0],
      ["ns/a", 60_000],
    ]);
    expect(await metric("reconcile_total")).toContain(
      'controller_runtime_reconcile_total{controller="things",result="success"} 2',
    );
    expect(errors()).toEqual([]);
  });

  it("requeueAfter: another look then", async () => {
    const { clock, runs, change, metric } = setUp(async () => requeueAfter(30_000, "the volume grows"));
    change("a");
    await clock.advance(60_000);
    expect(runs.map(([, at]) => at)).toEqual([0, 30_000, 60_000]);
    expect(await metric("reconcile_total")).toContain(
      'controller_runtime_reconcile_total{controller="things",result="requeue_after"} 3',
    );
  });

  it("requeue: further looks, less and less often", async () => {
    const { clock, runs, change, errors } = setUp(async () => requeue("the pod has no address yet"));
    change("a");
    await clock.advance(700);
    expect(runs.map(([, at]) => at)).toEqual([0, 100, 300, 700]);
    expect(errors()).toEqual([]);
  });

  it("events of an outcome are recorded", async () => {
    const regarding = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    const { clock, recorded, change } = setUp(async () => ({
      kind: "done",
      events: [{ regarding, type: "Normal", reason: "Resized", message: "grown" }],
    }));
    change("a");
    await clock.advance(0);
    expect(recorded).toEqual([{ name: "a", type: "Normal", reason: "Resized", message: "grown" }]);
  });
});

describe("what a failure leads to", () => {
  it("an error: a log line, backoff, and a fresh start after a success", async () => {
    let broken = true;
    const { clock, runs, change, metric, lines, recorded } = setUp(
      async () => {
        if (broken) throw new CodedError("DISK_FULL", "no space");
        return done;
      },
      {
        failureEvent: (_key, error) => ({
          regarding: { metadata: { name: "a" } },
          type: "Warning",
          reason: "Failed",
          message: (error as Error).message,
        }),
      },
    );
    change("a");
    await clock.advance(300);
    broken = false;
    await clock.advance(10_000);
    broken = true;
    change("a");
    await clock.advance(100);
    expect(runs.map(([, at]) => at)).toEqual([0, 100, 300, 700, 10_300, 10_400]);
    expect(lines.find(({ level }) => level === "error")).toMatchObject({
      msg: "reconcile failed",
      controller: "things",
      namespace: "ns",
      name: "a",
      error: "no space",
      errorCode: "DISK_FULL",
      failures: 1,
      milliseconds: 100,
    });
    expect(await metric("reconcile_errors_total")).toEqual([
      'controller_runtime_reconcile_errors_total{controller="things"} 5',
    ]);
    expect(recorded).toHaveLength(5);
  });

  it("a throw in one key, of whatever kind, touches no other key", async () => {
    const { clock, runs, change, errors } = setUp((key) => {
      if (key === "ns/throws") throw new TypeError("undefined is not a function"); // Not even a promise.
      if (key === "ns/rejects") return Promise.reject("a string");
      if (key === "ns/nothing") return Promise.resolve(undefined as unknown as Outcome);
      return Promise.resolve(done);
    });
    for (const name of ["throws", "rejects", "nothing", "good"]) change(name);
    await clock.advance(50);
    expect(runs.map(([key]) => key)).toEqual(["ns/throws", "ns/rejects", "ns/nothing", "ns/good"]);
    await clock.advance(50);
    const again = runs.slice(4).map(([key]) => key);
    expect(again.sort()).toEqual(["ns/nothing", "ns/rejects", "ns/throws"]);
    expect(errors()).toHaveLength(6);
  });

  it("a terminal error: no further attempt until the object changes", async () => {
    const { clock, runs, change, metric, errors } = setUp(async () => {
      throw new Error("cannot validate", { cause: new TerminalError("SPEC_INVALID", "replicas must be odd") });
    });
    change("a");
    await clock.advance(600_000);
    expect(runs).toHaveLength(1);
    expect(errors()).toEqual(["reconcile failed for good: it is tried again when something changes"]);
    change("a");
    await clock.advance(600_000);
    expect(runs).toHaveLength(2);
    expect(await metric("terminal_reconcile_errors_total")).toEqual([
      'controller_runtime_terminal_reconcile_errors_total{controller="things"} 2',
    ]);
  });

  it("a conflict: another attempt, and nobody is bothered", async () => {
    let attempts = 0;
    const { clock, runs, change, metric, errors, recorded } = setUp(async () => {
      if (++attempts < 3) throw new Error("cannot update the status", { cause: conflict });
      return done;
    });
    change("a");
    await clock.advance(10_000);
    expect(runs).toHaveLength(3);
    expect(errors()).toEqual([]);
    expect(recorded).toEqual([]);
    expect(await metric("reconcile_total")).toContain(
      'controller_runtime_reconcile_total{controller="things",result="error"} 0',
    );
  });

  it("a server that asks to wait: no attempt before", async () => {
    const busy = new KubeError("busy", { status: 429, reason: "TooManyRequests", retryAfter: 5000 });
    const { clock, runs, change } = setUp(async () => {
      throw busy;
    });
    change("a");
    await clock.advance(5000);
    expect(runs.map(([, at]) => at)).toEqual([0, 5000]);
  });
});

describe("the deadline of a reconcile", () => {
  it("ends it by its signal and counts as a failure", async () => {
    const { clock, runs, change, metric, lines } = setUp(
      async (_key, { clock, signal }) => {
        await sleep(clock, 3_600_000, signal);
        return done;
      },
      { reconcileDeadline: 5000 },
    );
    change("a");
    await clock.advance(5100);
    expect(runs.map(([, at]) => at)).toEqual([0, 5100]);
    expect(lines.find(({ level }) => level === "error")).toMatchObject({
      msg: "reconcile failed",
      errorCode: "DEADLINE_EXCEEDED",
      error: "reconciling ns/a took longer than 5000 ms",
    });
    expect(await metric("reconcile_timeouts_total")).toEqual([
      'controller_runtime_reconcile_timeouts_total{controller="things"} 1',
    ]);
  });

  it("reports one that ignores its signal, keeps its key from running twice, and frees the worker", async () => {
    let release = (): void => undefined;
    let stuckRuns = 0;
    const { clock, runs, change, metric, errors } = setUp(
      async (key) => {
        if (key === "ns/stuck" && stuckRuns++ === 0) await new Promise<void>((resolve) => (release = resolve));
        return done;
      },
      { reconcileDeadline: 5000, concurrency: 1 },
    );
    change("stuck");
    change("other");
    await clock.advance(5999);
    expect(runs.map(([key]) => key)).toEqual(["ns/stuck"]);
    await clock.advance(1);
    expect(runs.map(([key]) => key)).toEqual(["ns/stuck", "ns/other"]);
    expect(errors()).toEqual(["a reconcile goes on although it was told to stop: its key is stuck"]);
    expect(await metric("stuck_reconciles")).toEqual(['controller_runtime_stuck_reconciles{controller="things"} 1']);
    expect(await metric("active_workers")).toEqual(['controller_runtime_active_workers{controller="things"} 0']);

    change("stuck");
    await clock.advance(600_000);
    expect(stuckRuns).toBe(1);
    release();
    await clock.advance(0);
    expect(stuckRuns).toBe(2);
    expect(await metric("stuck_reconciles")).toEqual(['controller_runtime_stuck_reconciles{controller="things"} 0']);
    expect(await metric("active_workers")).toEqual(['controller_runtime_active_workers{controller="things"} 0']);
  });
});

describe("running", () => {
  it("works on as many keys at a time as it may, each once", async () => {
    let active = 0;
    let most = 0;
    const { clock, runs, change, metric } = setUp(
      async (_key, { clock }) => {
        most = Math.max(most, ++active);
        await sleep(clock, 1000);
        active--;
        return done;
      },
      { concurrency: 3 },
    );
    for (let index = 0; index < 9; index++) change(`${index}`);
    await clock.advance(500);
    expect(await metric("active_workers")).toEqual(['controller_runtime_active_workers{controller="things"} 3']);
    expect(await metric("max_concurrent_reconciles")).toEqual([
      'controller_runtime_max_concurrent_reconciles{controller="things"} 3',
    ]);
    await clock.advance(2500);
    expect(runs).toHaveLength(9);
    expect(most).toBe(3);
    expect(await metric("reconcile_time_seconds_sum")).toEqual([
      'controller_runtime_reconcile_time_seconds_sum{controller="things"} 9',
    ]);
  });

  it("begins only when its caches are complete", async () => {
    const runs: Key[] = [];
    const clock = new SimulatedClock();
    const informer = new MemoryInformer(ConfigMaps);
    const stop = new AbortController();
    const reconcile = async (key: Key): Promise<Outcome> => {
      runs.push(key);
      return done;
    };
    const controller = createController({ name: "things", sources: [changesOf(informer)], reconcile, clock });
    const running = controller.run(stop.signal);
    controller.enqueue("ns/from-outside");
    informer.set({ metadata: { namespace: "ns", name: "a" } });
    await clock.advance(1000);
    expect(runs).toEqual([]);
    informer.sync();
    await clock.advance(0);
    expect(runs).toEqual(["ns/from-outside", "ns/a"]);
    stop.abort();
    await running;
  });

  it("stops when told to, even before it has begun", async () => {
    const clock = new SimulatedClock();
    const informer = new MemoryInformer(ConfigMaps);
    const stop = new AbortController();
    const options = { name: "things", sources: [changesOf(informer)], reconcile: async () => done, clock };
    const running = createController(options).run(stop.signal);
    informer.set({ metadata: { namespace: "ns", name: "a" } });
    stop.abort();
    await running;
    expect(informer.subscribers).toBe(0);
    await createController(options).run(stop.signal);
  });

  it("tells what is under way to stop, waits for it, begins nothing more and leaves nothing behind", async () => {
    const aborted: Key[] = [];
    const { clock, informer, runs, stop, running, change, errors } = setUp(
      async (key, { signal, clock }) => {
        try {
          await sleep(clock, 10_000, signal);
        } finally {
          aborted.push(key);
          await sleep(clock, 200); // Tidying up.
        }
        return done;
      },
      { concurrency: 2 },
    );
    for (const name of ["a", "b", "c"]) change(name);
    await clock.advance(100);
    let ended = false;
    void running.then(() => (ended = true));
    stop.abort(new Error("shutting down"));
    await clock.advance(100);
    expect(aborted).toEqual(["ns/a", "ns/b"]);
    expect(ended).toBe(false);
    await clock.advance(100);
    expect(ended).toBe(true);
    expect(runs).toHaveLength(2);
    expect(errors()).toEqual([]);
    expect(clock.pending).toBe(0);
    expect(informer.subscribers).toBe(0);
  });

  it("asks for the leadership before every reconcile and ends when it is lost", async () => {
    let held = true;
    const leadership = {
      isHeld: () => held,
      assertHeld: () => {
        if (!held) throw new LeadershipError("LEADERSHIP_LOST", "no longer leads");
      },
      lost: new AbortController().signal,
    };
    const { clock, runs, running, change } = setUp(async () => done, { leadership });
    change("a");
    await clock.advance(0);
    held = false;
    change("b");
    change("c");
    await expect(running).rejects.toThrow("no longer leads");
    expect(runs.map(([key]) => key)).toEqual(["ns/a"]);
    expect(clock.pending).toBe(0);
  });
});
