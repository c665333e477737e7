/** What the measuring process and the two informers that it measures say to one another. */
import { readFileSync } from "node:fs";
import type { ClusterConfig } from "@moco-ts/kube";

export interface Target {
  readonly config: ClusterConfig;
  readonly kubeconfigPath: string;
  readonly namespace: string;
  readonly labelSelector: string;
}

/** One of the informers: resolves when it holds everything, and then calls `onEvent` for every change. */
export type StartInformer = (target: Target, onEvent: () => void) => Promise<{ size(): number }>;

export type Order = { readonly order: "sync"; readonly target: Target } | { readonly order: "measure" };

export interface Measurement {
  /** Bytes of memory that the process has from the system. */
  readonly resident: number;
  /** The part of it that is its own, and not a page of the Node binary, which all processes share. */
  readonly own: number;
  /** Milliseconds that the order took. */
  readonly elapsed: number;
  readonly objects: number;
  /** Changes after the first list. */
  readonly events: number;
  /** Microseconds of CPU time since the process began, of all its threads. */
  readonly cpu: number;
}

/** Carries orders out, one after the other, and answers each with a measurement. */
export function serveOrders(start: StartInformer): void {
  let events = 0;
  let informer: Awaited<ReturnType<StartInformer>> | undefined;
  const carryOut = async (order: Order): Promise<void> => {
    const startedAt = performance.now();
    if (order.order === "sync") informer = await start(order.target, () => void events++);
    const elapsed = performance.now() - startedAt;
    const { user, system } = process.cpuUsage();
    const measurement: Measurement = {
      ...memory(),
      elapsed,
      objects: informer?.size() ?? 0,
      events,
      cpu: user + system,
    };
    process.send!(measurement);
  };
  process.on("message", (order: Order) => void carryOut(order));
}

function memory(): Pick<Measurement, "resident" | "own"> {
  const status = readFileSync("/proc/self/status", "utf8");
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return { resident: kilobytes("VmRSS") * 1024, own: kilobytes("RssAnon") * 1024 };
}
