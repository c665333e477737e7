import type { VolumeMount } from "@moco-ts/kube";
import { podPaths } from "@moco-ts/mysql";
import type { ReconcilerVersion } from "../version.ts";
import type { PodImages } from "./input.ts";
import type { OwnDirectories } from "./directories.ts";
import { mounts } from "./mounts.ts";
import { copyCommand, programs } from "./programs.ts";

/** Seconds and counts of a probe. What is left out is the API server's default. */
export interface ProbeNumbers {
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
}

/** Milliseconds in which the agent has to answer, so that the kubelet hears what it says. */
export interface AnswerLimits {
  readonly health: number;
  readonly ready: number;
}

/** In what the versions of Pods differ. */
export interface PodRules {
  readonly agentImage: (images: PodImages) => string;
  /** Whether containers that the operator adds may not use more CPU than they request. */
  readonly limitsCpu: boolean;
  readonly liveness: ProbeNumbers;
  readonly readiness: ProbeNumbers;
  readonly startup: ProbeNumbers & { readonly periodSeconds: number };
  /** After how many failures mysqld has had its time to start. */
  readonly startupFailures: (waitSeconds: number, periodSeconds: number) => number;
  /** mysqld's command; undefined leaves it to the image. */
  readonly command: (given: readonly string[] | undefined, own: OwnDirectories) => string[] | undefined;
  readonly args: (given: readonly string[]) => string[];
  readonly preStop: (own: OwnDirectories) => string[];
  /** What mysqld's container mounts beyond what it always does. */
  readonly mounts: (own: OwnDirectories) => VolumeMount[];
  /** What the agent is told beyond what it always is. */
  readonly agentFlags: (limits: AnswerLimits) => string[];
  /** The command of copy-moco-init. */
  readonly copy: readonly string[];
  /** Whether a sidecar that has to stay as it is may have been made by other rules. */
  readonly keepsSlowLog: boolean;
}

/** The longest that a primary's end is put off for a switchover, in seconds. */
const preStopSeconds = 20;
const defaultsFile = `--defaults-file=${podPaths.configuration}/my.cnf`;

/** Exactly what MOCO makes: the Pods of adopted clusters must not change. */
const version1: PodRules = {
  agentImage: ({ agentV1 }) => agentV1,
  limitsCpu: true,
  liveness: {},
  readiness: {},
  startup: { periodSeconds: 10 },
  startupFailures: (waitSeconds) => Math.max(Math.floor(waitSeconds / 10), 1),
  command: (given) => given && [...given],
  args: (given) => [...given, defaultsFile],
  preStop: () => ["sleep", String(preStopSeconds)],
  mounts: () => [],
  agentFlags: () => [],
  copy: copyCommand([programs.init]),
  // Earlier versions of MOCO made it in other ways, and later ones left it so.
  keepsSlowLog: true,
};

const version2: PodRules = {
  agentImage: ({ agent }) => agent,
  // A limit makes the initialisation of a data directory take 14 seconds instead of two.
  limitsCpu: false,
  // Half a minute without an answer, as before: a restart of the agent must not end mysqld.
  liveness: { periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 15 },
  // Only a Ready Pod is an endpoint of its Service: what delays readiness delays writers.
  readiness: { periodSeconds: 1, timeoutSeconds: 2 },
  startup: { periodSeconds: 1, timeoutSeconds: 5 },
  startupFailures: (waitSeconds, periodSeconds) => Math.max(Math.ceil(waitSeconds / periodSeconds), 1),
  // The image's entry point can't be known here; custom images too have mysqld in their PATH.
  command: (given = ["mysqld"], own) => [`${own.programs}/${programs.mysqld}`, ...given],
  // mysqld takes this option only as its first one.
  args: (given) => [defaultsFile, ...given],
  preStop: (own) => [`${own.programs}/${programs.preStop}`, String(preStopSeconds)],
  mounts: (own) => [
    // Not at /shared, where users may have something of their own.
    { ...mounts.shared, mountPath: own.programs, readOnly: true },
    { ...mounts.certificates, mountPath: own.certificates },
  ],
  agentFlags: ({ health, ready }) => [
    "--queueing-wait-ends-early",
    `--health-timeout=${health}ms`,
    `--ready-timeout=${ready}ms`,
  ],
  copy: copyCommand([programs.init, programs.mysqld, programs.preStop]),
  keepsSlowLog: false,
};

export const podRules: Readonly<Record<ReconcilerVersion, PodRules>> = { 1: version1, 2: version2 };
