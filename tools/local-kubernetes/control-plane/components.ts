import { join } from "node:path";
import type { ProcessSpecification } from "../process/launch.ts";
import {
  apiServerFlags,
  controllerManagerFlags,
  etcdFlags,
  schedulerFlags,
  toArguments,
  type ControlPlaneSettings,
  type Flags,
} from "./arguments.ts";
import { answers } from "./probe.ts";

export interface ComponentOptions extends ControlPlaneSettings {
  /** Program name to path. */
  binaries: Record<string, string>;
  /** Further kube-apiserver flags. */
  apiServerFlags?: Flags;
}

export interface ControlPlaneComponents {
  etcd: ProcessSpecification;
  apiServer: ProcessSpecification;
  controllerManager: ProcessSpecification;
  scheduler: ProcessSpecification;
}

export function apiServerUrl({ address, ports }: ControlPlaneSettings): string {
  return `https://${address}:${ports.apiServer}`;
}

export function controlPlaneComponents(options: ComponentOptions): ControlPlaneComponents {
  const { address, binaries, files, ports } = options;
  const component = (name: string, flags: Flags, readyUrl: string): ProcessSpecification => ({
    name,
    command: binaries[name] ?? name,
    args: toArguments(flags),
    logFile: join(files.logs, `${name}.log`),
    ready: () => answers(readyUrl),
  });
  return {
    etcd: component("etcd", etcdFlags(options), `http://${address}:${ports.etcdMetrics}/readyz`),
    apiServer: component(
      "kube-apiserver",
      { ...apiServerFlags(options), ...options.apiServerFlags },
      `${apiServerUrl(options)}/readyz`,
    ),
    controllerManager: component(
      "kube-controller-manager",
      controllerManagerFlags(options),
      `https://${address}:${ports.controllerManager}/healthz`,
    ),
    scheduler: component("kube-scheduler", schedulerFlags(options), `https://${address}:${ports.scheduler}/healthz`),
  };
}

/** For an API server that has nobody but the loopback address. */
export const loopbackApiServerFlags: Flags = {
  // The address can't be published as an endpoint of the service "kubernetes".
  "endpoint-reconciler-type": "none",
};

/** For an API server without controllers. */
export const lonelyApiServerFlags: Flags = {
  // Nobody makes the service accounts that this plug-in insists on when a pod is created.
  "disable-admission-plugins": "ServiceAccount",
};
