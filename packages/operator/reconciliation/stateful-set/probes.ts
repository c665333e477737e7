import { ports, type AnyPartOf } from "@moco-ts/api";
import type { Probe } from "@moco-ts/kube";
import type { AnswerLimits, PodRules } from "./rules.ts";

type GivenProbe = AnyPartOf<Probe> | undefined;

export interface GivenProbes {
  readonly startupProbe?: GivenProbe;
  readonly livenessProbe?: GivenProbe;
  readonly readinessProbe?: GivenProbe;
}

/** The agent answers for mysqld. How often it is asked, and how patiently, the user may say. */
export function mysqldProbes(given: GivenProbes, startupWaitSeconds: number, rules: PodRules) {
  // As for the API server, 0 stands for nothing.
  const periodSeconds = given.startupProbe?.periodSeconds || rules.startup.periodSeconds;
  const failureThreshold = rules.startupFailures(startupWaitSeconds, periodSeconds);
  return {
    startupProbe: { ...rules.startup, failureThreshold, ...asking("/healthz", given.startupProbe) },
    livenessProbe: { ...rules.liveness, ...asking("/healthz", given.livenessProbe) },
    readinessProbe: { ...rules.readiness, ...asking("/readyz", given.readinessProbe) },
  };
}

/** A tenth before the kubelet gives up. /healthz answers the more impatient of two probes. */
export function answerLimits({ startupProbe, livenessProbe, readinessProbe }: GivenProbes): AnswerLimits {
  const limit = (...probes: GivenProbe[]): number =>
    // As for the API server, 0 and nothing stand for one second.
    Math.min(...probes.map((probe) => (probe?.timeoutSeconds || 1) * 900));
  return { health: limit(startupProbe, livenessProbe), ready: limit(readinessProbe) };
}

/** A probe asks in one way only: other ways that the user gave would make it invalid. */
function asking(path: string, given: GivenProbe = {}): AnyPartOf<Probe> {
  const { exec: _exec, grpc: _grpc, tcpSocket: _tcpSocket, ...numbers } = given;
  return { ...numbers, httpGet: { path, port: ports.health.name, scheme: "HTTP" } };
}
