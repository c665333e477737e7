/**
 * Gets the programs that make up a cluster.
 *
 * Order: our cache; KUBEBUILDER_ASSETS and PATH, if the version there is right; the official download, where there is
 * internet; a build from the Go module proxy. What was downloaded or built is kept in the cache.
 */
import { access, constants, mkdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { cacheDirectory } from "../system/cache.ts";
import { withLock } from "../system/lock.ts";
import { reportToStderr, secondsSince, type Report } from "../system/report.ts";
import { tryRun } from "../system/run.ts";
import { build } from "./build.ts";
import { catalog, platformName, type Program } from "./catalog.ts";
import { download } from "./download.ts";

type Origin = "cache" | "KUBEBUILDER_ASSETS" | "PATH" | "download" | "build";

export interface Binary {
  name: string;
  path: string;
  version: string;
  origin: Origin;
}

export interface ResolveOptions {
  /** Default: lines on standard error, and only about what takes time. */
  report?: Report;
  /** Default: the process environment. */
  environment?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

/** Returns a path for each of the named programs, and where it came from. Several processes may call it at once. */
export async function resolveBinaries(names: string[], options: ResolveOptions = {}): Promise<Map<string, Binary>> {
  const { report = reportToStderr, environment = process.env, signal } = options;
  const programs = names.map(programNamed);
  const found = new Map<string, Binary>();

  const search = async (): Promise<Program[]> => {
    for (const program of programs.filter(({ name }) => !found.has(name))) {
      const binary = await findLocal(program, environment);
      if (binary !== undefined) {
        found.set(program.name, binary);
      }
    }
    return programs.filter(({ name }) => !found.has(name));
  };

  if ((await search()).length > 0) {
    const lock = join(cacheDirectory(environment), "binaries.lock");
    await withLock(
      lock,
      // Whoever held the lock before us may have got all that we need.
      async () => {
        for (const binary of await acquire(await search(), report, environment, signal)) {
          found.set(binary.name, binary);
        }
      },
      () => report("waiting for another process that is getting the binaries"),
    );
  }
  return found;
}

/** The path of one program, for callers that need no other. */
export async function resolveBinary(name: string, options: ResolveOptions = {}): Promise<string> {
  const binary = (await resolveBinaries([name], options)).get(name);
  if (binary === undefined) {
    throw new Error(`${name} was not found`);
  }
  return binary.path;
}

/** The programs that would have to be downloaded or built first. */
export async function missingBinaries(environment: NodeJS.ProcessEnv = process.env): Promise<string[]> {
  const missing: string[] = [];
  for (const program of catalog().values()) {
    if ((await findLocal(program, environment)) === undefined) {
      missing.push(program.name);
    }
  }
  return missing;
}

function programNamed(name: string): Program {
  const program = catalog().get(name);
  if (program === undefined) {
    throw new Error(`local-kubernetes does not know a program called ${name}`);
  }
  return program;
}

function cachedIn(program: Program, environment: NodeJS.ProcessEnv): string {
  return join(cacheDirectory(environment), "bin", platformName, program.release);
}

async function findLocal(program: Program, environment: NodeJS.ProcessEnv): Promise<Binary | undefined> {
  const { name, version } = program;
  const cached = join(cachedIn(program, environment), name);
  if (await isExecutable(cached)) {
    return { name, version, path: cached, origin: "cache" };
  }
  const places: Array<[Origin, string[]]> = [
    ["KUBEBUILDER_ASSETS", environment["KUBEBUILDER_ASSETS"] ? [environment["KUBEBUILDER_ASSETS"]] : []],
    ["PATH", (environment["PATH"] ?? "").split(delimiter)],
  ];
  for (const [origin, directories] of places) {
    for (const directory of directories) {
      const path = join(directory, name);
      if ((await isExecutable(path)) && (await hasMinorVersion(path, program))) {
        return { name, version, path, origin };
      }
    }
  }
  return undefined;
}

// Another patch release behaves the same. Another minor version may lack what the runtime relies on.
async function hasMinorVersion(path: string, program: Program): Promise<boolean> {
  const output = await tryRun(path, program.versionArguments);
  const minor = program.version.replace(/^v/, "").split(".").slice(0, 2).join(".");
  return output !== undefined && new RegExp(`\\bv?${minor.replaceAll(".", "\\.")}\\.`).test(output);
}

async function acquire(
  programs: Program[],
  report: Report,
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<Binary[]> {
  const binaries: Binary[] = [];
  const toBuild = new Map<string, Program[]>();
  for (const program of programs) {
    const { name, version } = program;
    const directory = cachedIn(program, environment);
    await mkdir(directory, { recursive: true });
    const start = performance.now();
    // One failed attempt says that there is no internet.
    if (toBuild.size === 0 && (await download(program, directory, signal))) {
      report(`downloaded ${name} ${version} in ${secondsSince(start)}`);
      binaries.push({ name, version, path: join(directory, name), origin: "download" });
    } else {
      const group = toBuild.get(directory) ?? [];
      toBuild.set(directory, [...group, program]);
    }
  }
  for (const [directory, group] of toBuild) {
    const title = group.map(({ name, version }) => `${name} ${version}`).join(", ");
    report(`no download possible: building ${title} with Go (minutes the first time, then cached)`);
    const start = performance.now();
    const stillAlive = setInterval(() => report(`still building after ${secondsSince(start)}`), 60_000);
    await build(group, directory, signal).finally(() => clearInterval(stillAlive));
    report(`built in ${secondsSince(start)}`);
    for (const { name, version } of group) {
      binaries.push({ name, version, path: join(directory, name), origin: "build" });
    }
  }
  return binaries;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
