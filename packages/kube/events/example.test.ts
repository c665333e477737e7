import { SimulatedClock } from "@moco-ts/base";
import { expect, it } from "vitest";
import { EventRecorder } from "./recorder.ts";
import { EventServer } from "./testing/event-server.ts";

it("example: what users read under `kubectl describe`", async () => {
  const server = new EventServer(); // A program takes the client from connect().
  const clock = new SimulatedClock();
  const events = new EventRecorder({ client: server.client, component: "pvc-autoresizer", clock });
  const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { namespace: "default", name: "data" } };

  // Tell and go on: nothing is awaited, nothing can fail.
  for (let attempt = 0; attempt < 3; attempt++) {
    events.record(claim, { type: "Warning", reason: "ResizeFailed", message: "the storage class can't grow volumes" });
    await clock.advance(60_000);
  }
  events.record(claim, { type: "Normal", reason: "Resized", message: "PVC volume is resized to 2Gi" });

  // Before the program ends, what still waits is written.
  await events.close(AbortSignal.timeout(5000));

  expect(server.events.map(({ type, reason, count }) => ({ type, reason, count }))).toEqual([
    { type: "Warning", reason: "ResizeFailed", count: 3 },
    { type: "Normal", reason: "Resized", count: 1 },
  ]);
});
