/**
 * A real API server for tests: etcd and kube-apiserver on the loopback address, no node, no root needed.
 *
 *     const controlPlane = await startControlPlane();
 *     // use controlPlane.kubeconfigPath
 *     await controlPlane.stop();
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { resolveBinaries } from "../binaries/resolve.ts";
import type { ProcessSpecification } from "../process/launch.ts";
import { ManagedProcess, type ProcessHandle } from "../process/managed.ts";
import type { Report } from "../system/report.ts";
import type { Flags } from "./arguments.ts";
import {
  apiServerUrl,
  controlPlaneComponents,
  lonelyApiServerFlags,
  loopbackApiServerFlags,
  type ComponentOptions,
} from "./components.ts";
import { compactHistory } from "./etcd.ts";
import { controlPlaneFiles, ensureControlPlaneFiles } from "./files.ts";
import { freeControlPlanePorts } from "./ports.ts";

export interface ControlPlaneOptions {
  /** Shown in the kubeconfig and in the name of the directory. Default: "test". */
  name?: string;
  /** Log the metadata of every request to `auditLogPath`. Default: false. */
  auditLog?: boolean;
  /** Run kube-controller-manager too: garbage collection, service accounts, workload controllers. Default: false. */
  controllerManager?: boolean;
  /** Further kube-apiserver flags, without the dashes. */
  apiServerFlags?: Flags;
  /** Told about binaries that must be got first. Default: standard error. */
  report?: Report;
}

export interface ControlPlane {
  readonly name: string;
  /** The user in it is a member of system:masters. */
  readonly kubeconfigPath: string;
  /** The URL of the API server. It stays the same over a restart. */
  readonly server: string;
  /** The log of requests, one JSON object per line, if it was asked for. */
  readonly auditLogPath: string | undefined;
  /** The folder of the servers' own logs. */
  readonly logDirectory: string;
  readonly etcd: ProcessHandle;
  readonly apiServer: ProcessHandle;
  readonly controllerManager: ProcessHandle | undefined;
  /**
   * Makes the server forget its history, so that every watch and list from an older resource version gets 410.
   * This restarts the API server, whose watch cache would go on serving what etcd has forgotten.
   */
  compact(): Promise<void>;
  /** Ends all processes and removes all files. */
  stop(): Promise<void>;
}

/** Starts a control plane that ends with this process, however that ends. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  if (platform() !== "linux") {
    throw new Error("a control plane can only be started on Linux: elsewhere set KUBECONFIG to an existing cluster");
  }
  const { name = "test", auditLog = false, report } = options;
  const binaries = await resolveBinaries(
    ["etcd", "kube-apiserver", ...(options.controllerManager ? ["kube-controller-manager"] : [])],
    { report },
  );
  const directory = await mkdtemp(join(tmpdir(), `moco-ts-control-plane-${name}-`));
  const releaseDirectory = removeWhenWeDie(directory);
  const files = controlPlaneFiles(directory);
  const settings: ComponentOptions = {
    files,
    address: "127.0.0.1",
    ports: await freeControlPlanePorts(),
    services: "10.0.0.0/16",
    auditLog,
    binaries: Object.fromEntries([...binaries.values()].map((binary) => [binary.name, binary.path])),
    apiServerFlags: {
      ...loopbackApiServerFlags,
      ...(!options.controllerManager && lonelyApiServerFlags),
      ...options.apiServerFlags,
    },
  };
  const server = apiServerUrl(settings);
  await ensureControlPlaneFiles(files, { name, server, hosts: ["127.0.0.1", "localhost"] });

  const components = controlPlaneComponents(settings);
  const managed = (specification: ProcessSpecification) =>
    new ManagedProcess({ ...specification, dieWithParent: true });
  const etcd = managed(components.etcd);
  const apiServer = managed(components.apiServer);
  const controllerManager = options.controllerManager ? managed(components.controllerManager) : undefined;

  const stop = async (): Promise<void> => {
    // What is stopped here is thrown away: nobody waits for a graceful end.
    for (const each of [controllerManager, apiServer, etcd]) {
      await each?.stop("SIGKILL");
    }
    await rm(directory, { recursive: true, force: true });
    releaseDirectory();
  };

  try {
    await etcd.start();
    await apiServer.start();
    await controllerManager?.start();
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    name,
    kubeconfigPath: files.kubeconfig,
    server,
    auditLogPath: auditLog ? files.auditLog : undefined,
    logDirectory: files.logs,
    etcd,
    apiServer,
    controllerManager,
    stop,
    compact: async () => {
      await compactHistory(settings.ports.etcd);
      await apiServer.restart("SIGKILL");
    },
  };
}

// The shell reads from a pipe that the kernel closes when we end, even by SIGKILL.
function removeWhenWeDie(directory: string): () => void {
  const script = 'cat >/dev/null; while [ -e "$1" ] && ! rm -rf -- "$1"; do sleep 0.1; done';
  const guard = spawn("sh", ["-c", script, "remove-when-parent-dies", directory], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  const pipe = guard.stdin;
  // A pipe keeps the event loop alive unless it is told not to.
  (pipe as unknown as { unref(): void }).unref();
  return () => void pipe.end();
}
