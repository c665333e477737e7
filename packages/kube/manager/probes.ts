import { CodedError, silentLogger, type Clock } from "@moco-ts/base";
import { parseAddress } from "./address.ts";
import type { Component } from "./component.ts";
import { healthRoutes, type HealthChecks } from "./health.ts";
import { httpServer, type Routes } from "./http-server.ts";
import type { ManagerOptions } from "./manager.ts";

/** The servers for the kubelet's probes and for Prometheus; one, if both have the same address. */
export function probeServers(options: ManagerOptions, clock: Clock, isStopping: () => boolean): Component[] {
  const { metrics, informers = [], healthAddress = ":8081", metricsAddress = ":8080" } = options;
  const ping = (): void => undefined;
  const readyChecks: HealthChecks = {
    ping,
    caches() {
      const missing = informers.filter((informer) => !informer.hasSynced()).map(({ resource }) => resource.plural);
      if (missing.length > 0) throw new CodedError("CACHES_INCOMPLETE", `not complete: ${missing.join(", ")}`);
    },
    shutdown() {
      if (isStopping()) throw new CodedError("SHUTDOWN", "the program is shutting down");
    },
    ...options.readyChecks,
  };
  const health: Routes = {
    ...healthRoutes("/healthz", { ping, ...options.healthChecks }, clock),
    ...healthRoutes("/readyz", readyChecks, clock),
  };
  const scrape: Routes = {
    "/metrics": async () => ({ status: 200, body: await metrics.text(), contentType: metrics.contentType }),
  };
  const serve = (name: string, address: string, routes: Routes): Component[] => {
    const parsed = parseAddress(address);
    if (!parsed) return [];
    const { logger = silentLogger, onListening } = options;
    return [httpServer({ name, address: parsed, routes, logger, onListening: (port) => onListening?.(name, port) })];
  };
  const together = healthAddress === metricsAddress && parseAddress(healthAddress)?.port !== 0;
  if (together) return serve("health", healthAddress, { ...health, ...scrape });
  return [...serve("health", healthAddress, health), ...serve("metrics", metricsAddress, scrape)];
}
