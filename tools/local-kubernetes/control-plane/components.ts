import { join } from "node:path";
import type { ProcessSpecification } from "../process/launch.ts";
import { getObject } from "../system/api.ts";
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
  const component = (name: string, flags: Flags, ready: () => Promise<boolean>): ProcessSpecification => ({
    name,
    command: binaries[name] ?? name,
    args: toArguments(flags),
    logFile: join(files.logs, `${name}.log`),
    ready,
  });
  return {
    etcd: component("etcd", etcdFlags(options), () => answers(`http://${address}:${ports.etcdMetrics}/readyz`)),
    apiServer: component("kube-apiserver", { ...apiServerFlags(options), ...options.apiServerFlags }, () =>
      answers(`${apiServerUrl(options)}/readyz`),
    ),
    controllerManager: component("kube-controller-manager", controllerManagerFlags(options), () =>
      // It is healthy before its controllers run. Without this account no pod can be created.
      exists(files.kubeconfig, "/api/v1/namespaces/default/serviceaccounts/default"),
    ),
    scheduler: component("kube-scheduler", schedulerFlags(options), () =>
      answers(`https://${address}:${ports.scheduler}/healthz`),
    ),
  };
}

async function exists(kubeconfig: string, path: string): Promise<boolean> {
  try {
    return (await getObject(kubeconfig, path)) !== undefined;
  } catch {
    // The API server is not there yet: the caller asks again.
    return false;
  }
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
