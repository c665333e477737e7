/**
 * Control groups, of both versions. Each cluster has a tree of groups: a process that is started in it, and whatever it
 * starts in turn, can always be found there, be frozen, and be ended, even if nobody wrote its pid down.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { identify, isAlive, sendSignal, type ProcessIdentity } from "../process/identity.ts";
import { waitFor } from "./wait.ts";

const mountPoint = "/sys/fs/cgroup";
const unified = existsSync(join(mountPoint, "cgroup.controllers"));

// In version 1 every controller has a tree of its own. We keep processes in the freezer's; runc uses all of them.
const processTree = unified ? mountPoint : join(mountPoint, "freezer");

function allTrees(): string[] {
  return unified ? [mountPoint] : readdirSync(mountPoint).map((controller) => join(mountPoint, controller));
}

export function cgroupsAvailable(): boolean {
  return existsSync(join(processTree, "cgroup.procs"));
}

/** The root of a cluster's groups, as a path inside of the tree. */
export function clusterGroup(cluster: string): string {
  return `/local-kubernetes/${cluster}`;
}

/** Makes a group and returns the file that a process writes its pid into to join it. */
export function createGroup(group: string): string {
  mkdirSync(join(processTree, group), { recursive: true });
  return join(processTree, group, "cgroup.procs");
}

/** Makes a group in the trees of all controllers, for a kubelet to put its pods below. */
export function createRootGroup(group: string): void {
  for (const tree of allTrees()) {
    mkdirSync(join(tree, group), { recursive: true });
    shareProcessors(tree, group);
  }
}

/**
 * To the kernel a group is one runner among others, however many Pods are in it: beside a dozen busy processes of the
 * machine all of a cluster's together would get what one of those gets. They get four times as much, and no more: API
 * server and kubelet are such processes too.
 */
function shareProcessors(tree: string, group: string): void {
  for (let path = group; path !== "/"; path = dirname(path)) {
    for (const [file, share] of [
      ["cpu.shares", "4096"],
      ["cpu.weight", "400"],
    ] as const) {
      if (existsSync(join(tree, path, file))) writeFileSync(join(tree, path, file), share);
    }
  }
}

/** The groups below a group that have this name. */
export function findGroups(group: string, name: string): string[] {
  return walk(join(processTree, group))
    .filter((directory) => basename(directory) === name)
    .map((directory) => directory.slice(processTree.length));
}

/** All processes in a group and below it. */
export function groupProcesses(group: string): ProcessIdentity[] {
  return walk(join(processTree, group)).flatMap((directory) =>
    readLines(join(directory, "cgroup.procs")).flatMap((pid) => identify(Number(pid)) ?? []),
  );
}

/** Stops every process in a group in its tracks, or lets them go on. */
export function setFrozen(group: string, frozen: boolean): void {
  const [file, value] = unified
    ? ["cgroup.freeze", frozen ? "1" : "0"]
    : ["freezer.state", frozen ? "FROZEN" : "THAWED"];
  writeFileSync(join(processTree, group, file), value);
}

/** Ends every process in a group by SIGKILL, also frozen ones and those that are started meanwhile. */
export async function killGroup(group: string): Promise<void> {
  if (!existsSync(join(processTree, group))) {
    return;
  }
  await waitFor(
    () => {
      const processes = groupProcesses(group).filter(isAlive);
      for (const identity of processes) {
        sendSignal(identity, "SIGKILL");
      }
      // A frozen process dies only once it is thawed. In version 1 each group is thawed by itself.
      for (const directory of walk(join(processTree, group))) {
        ignoringGone(() => setFrozen(directory.slice(processTree.length), false));
      }
      return processes.length === 0;
    },
    { what: `the processes of ${group} to end`, timeout: 20_000, interval: 20 },
  );
}

/** Removes a group, and all below it, from every tree. No process may be left in it. */
export async function removeGroup(group: string): Promise<void> {
  for (const tree of allTrees()) {
    await waitFor(() => removeTree(join(tree, group)), { what: `${join(tree, group)} to be removed`, timeout: 10_000 });
    try {
      rmdirSync(join(tree, dirname(group)));
    } catch {
      // Another cluster has groups there too.
    }
  }
}

function removeTree(directory: string): boolean {
  for (const each of walk(directory).toReversed()) {
    try {
      rmdirSync(each);
    } catch (error) {
      // A process that has just ended keeps its group busy for a moment.
      if ((error as NodeJS.ErrnoException).code === "EBUSY") {
        return false;
      }
      throw error;
    }
  }
  return true;
}

/** containerd removes the group of a container that ends, at any moment: what was in it is gone as well. */
function ignoringGone<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (["ENOENT", "ENODEV"].includes((error as NodeJS.ErrnoException).code ?? "")) {
      return undefined;
    }
    throw error;
  }
}

/** A directory and all below it, parents first. Nothing if it does not exist. */
function walk(directory: string): string[] {
  const entries = ignoringGone(() => readdirSync(directory, { withFileTypes: true }));
  if (entries === undefined) {
    return [];
  }
  const children = entries.filter((entry) => entry.isDirectory());
  return [directory, ...children.flatMap((entry) => walk(join(directory, entry.name)))];
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    // The group was removed while we looked.
    return [];
  }
}
