/** For tests: a throwaway mysqld. It starts in about a second, and ends with the test or with the test's process. */
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { access, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { unpackBase } from "@moco-ts/local-kubernetes";
import { connect, type Connection } from "../connection/connection.ts";
import { MysqlError } from "../connection/errors.ts";
import { podPaths } from "../paths.ts";
import { freeze } from "./freeze.ts";
import { makeVolumes, runContainer, startContainer, type Container, type Ended } from "./container.ts";

export interface MysqldOptions {
  /** Added to my.cnf's [mysqld]. */
  readonly options?: Readonly<Record<string, string>>;
  /** What to run instead of mysqld; gets `--defaults-file`. */
  readonly command?: readonly string[];
  /** More of it, by where it is in the container. */
  readonly volumes?: Readonly<Record<string, string>>;
  /** Starts it again when it ends by itself, as the kubelet does. Default false. */
  readonly restart?: boolean;
  /** A data directory to begin with. Default: one that was just initialised. */
  readonly data?: string;
  /** Who can log in there. Default: root without a password. */
  readonly login?: { readonly user: string; readonly password: string };
}

/** Small enough that ten of them fit on a laptop. */
const smallOptions = {
  innodb_buffer_pool_size: "16M",
  innodb_redo_log_capacity: "8M",
  innodb_buffer_pool_dump_at_shutdown: "OFF",
  table_open_cache: "200",
  table_definition_cache: "400",
  max_connections: "60",
  performance_schema_max_table_instances: "200",
  performance_schema_max_table_handles: "200",
  performance_schema_digests_size: "200",
  performance_schema_events_statements_history_long_size: "100",
  mysqlx: "OFF",
};

const operatorOptions = {
  gtid_mode: "ON",
  enforce_gtid_consistency: "ON",
  skip_name_resolve: "ON",
  read_only: "ON",
  super_read_only: "ON",
  skip_replica_start: "ON",
  relay_log_recovery: "OFF",
  secure_file_priv: "NULL",
  slow_query_log: "ON",
};

export class Mysqld {
  readonly #options: MysqldOptions;
  readonly volumes: Record<"run" | "tmp" | "logs" | "data" | "configuration" | "parent", string>;
  readonly port: number;
  readonly adminPort: number;
  #container: Container | undefined;
  #stopping = false;

  constructor(options: MysqldOptions, volumes: Mysqld["volumes"], port: number, adminPort: number) {
    this.#options = options;
    this.volumes = volumes;
    this.port = port;
    this.adminPort = adminPort;
  }

  get socketPath(): string {
    return join(this.volumes.run, "mysqld.sock");
  }

  get slowLog(): string {
    return join(this.volumes.logs, "mysql.slow");
  }

  get ended(): Promise<Ended> {
    return this.#container!.ended;
  }

  /** What it wrote since its last start. */
  log(): string {
    return this.#container?.output() ?? "";
  }

  /** Starts the process; to wait until it serves is `ready`'s. */
  async start(): Promise<void> {
    this.#stopping = false;
    const { run, tmp, logs, data, configuration } = this.volumes;
    const container = await startContainer({
      command: [...(this.#options.command ?? ["mysqld"]), `--defaults-file=${podPaths.configuration}/my.cnf`],
      volumes: {
        [podPaths.run]: run,
        [podPaths.temporary]: tmp,
        [podPaths.logs]: logs,
        [podPaths.data]: data,
        [podPaths.configuration]: configuration,
        ...this.#options.volumes,
      },
    });
    this.#container = container;
    if (this.#options.restart) void this.#startAfter(container);
  }

  async #startAfter(container: Container): Promise<void> {
    await container.ended;
    if (this.#stopping) return;
    // A container that comes back finds what the last one left. The lock may name a process that lives again.
    await rm(`${this.socketPath}.lock`, { force: true });
    await this.start();
  }

  /** Resolves when it lets somebody in. */
  async ready(login = this.#options.login ?? { user: "root", password: "" }): Promise<void> {
    const ended = this.#container!.ended.then((end) => `it ended with ${end.code ?? end.signal}:\n${this.log()}`);
    for (const deadline = performance.now() + 60_000; performance.now() < deadline;) {
      try {
        await (await connect({ ...login, socketPath: this.socketPath, connectTimeout: 2_000 })).close();
        return;
      } catch (error) {
        // It answered.
        if (error instanceof MysqlError && error.number !== undefined) throw error;
      }
      const early = await Promise.race([ended, delay(20)]);
      if (early !== undefined && !this.#options.restart) throw new Error(`mysqld did not start: ${early}`);
    }
    throw new Error(`mysqld did not start in a minute:\n${this.log()}`);
  }

  /** A connection over the socket. */
  connect(name = "root", password = ""): Promise<Connection> {
    return connect({ user: name, password, socketPath: this.socketPath });
  }

  /** To process 1. */
  signal(signal: NodeJS.Signals): void {
    this.#container!.signal(signal);
  }

  /** Stops process 1 in its tracks; SIGCONT lets it go on. */
  freeze(): Promise<void> {
    return freeze(this.#container!.pid);
  }

  /** Of process 1 and of what it started, as this machine knows them. */
  async processes(): Promise<number[]> {
    const pid = this.#container!.pid;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    return [pid, ...children.trim().split(" ").filter(Boolean).map(Number)];
  }

  /** SIGKILL, and no start after it. The data stay. */
  async kill(): Promise<void> {
    this.#stopping = true;
    this.signal("SIGKILL");
    await this.ended;
  }

  /** Ends it and removes its data. */
  async dispose(): Promise<void> {
    await this.kill().catch(() => undefined);
    await rm(this.volumes.parent, { recursive: true, force: true });
  }
}

/**
 * Starts a mysqld that was just initialised: root has no password, and all is as the operator has it, but smaller.
 *
 * @example
 * const mysqld = await startMysqld();
 * onTestFinished(() => mysqld.dispose());
 * const connection = await mysqld.connect();
 */
export async function startMysqld(options: MysqldOptions = {}): Promise<Mysqld> {
  const template = options.data ?? (await initializedData());
  const volumes = await makeVolumes("run", "tmp", "logs", "data", "configuration");
  await copy(template, join(volumes.data, "data"));
  const [port, adminPort] = (await freePorts(2)) as [number, number];
  const all = {
    ...smallOptions,
    ...operatorOptions,
    datadir: podPaths.dataDirectory,
    socket: podPaths.socket,
    pid_file: podPaths.pidFile,
    slow_query_log_file: podPaths.slowLog,
    port: String(port),
    bind_address: "127.0.0.1",
    admin_address: "127.0.0.1",
    admin_port: String(adminPort),
    server_id: String(port),
    ...options.options,
  };
  const lines = Object.entries(all).map(([key, value]) => `${key} = ${value}\n`);
  await writeFile(join(volumes.configuration, "my.cnf"), `[mysqld]\n${lines.join("")}`);
  const mysqld = new Mysqld(options, volumes, port, adminPort);
  await mysqld.start();
  await mysqld.ready();
  return mysqld;
}

/** A data directory to copy. */
function initializedData(): Promise<string> {
  return keptData("data", async () => {
    const volumes = await makeVolumes("data", "tmp");
    const command = ["mysqld", "--no-defaults", "--initialize-insecure", "--secure-file-priv=NULL"];
    const { code, output } = await runContainer({
      command: [...command, `--datadir=${podPaths.dataDirectory}`, "--innodb-redo-log-capacity=8M"],
      volumes: { [podPaths.data]: volumes.data, [podPaths.temporary]: volumes.tmp },
    });
    if (code !== 0) throw new Error(`mysqld could not be initialised:\n${output}`);
    return volumes;
  });
}

/** A data directory to copy, without a server's identity. Made once, in some seconds, and kept beside the image. */
export async function keptData(
  name: string,
  make: () => Promise<{ readonly data: string; readonly parent: string }>,
): Promise<string> {
  const kept = `${await unpackBase()}.${name}`;
  const exists = await access(kept).then(
    () => true,
    () => false,
  );
  if (exists) return kept;
  const { data, parent } = await make();
  await rm(join(data, "data", "auto.cnf"));
  const copying = await mkdtemp(`${kept}-`);
  await copy(join(data, "data"), join(copying, "data"));
  // Who comes second finds it there.
  await rename(join(copying, "data"), kept).catch(() => undefined);
  await rm(copying, { recursive: true });
  await rm(parent, { recursive: true });
  return kept;
}

/** With owners and holes: most of the redo log is one. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)("cp", ["--archive", "--sparse=always", from, to]);
}

/**
 * Ports of 127.0.0.1 that nobody listens on. Not those that the system gives to outgoing connections: one of them might
 * be taken before mysqld is that far.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(15_000, 30_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
