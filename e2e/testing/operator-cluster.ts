import { setTimeout as delay } from "node:timers/promises";
import { down, up, type Cluster } from "@moco-ts/local-kubernetes";
import { assertNothingForbidden } from "./forbidden.ts";
import { installOperator, systemNamespace } from "./install.ts";
import { Killer } from "./killer.ts";

export interface OperatorClusterOptions {
  /** Of the local cluster: one for each test file. */
  readonly name: string;
  /** Default: 1. */
  readonly nodes?: number;
  /** Of the controller, beyond those that name the images of these tests. */
  readonly flags?: readonly string[];
}

/** Users whose passwords mysqld's container can read. */
export type QueryUser = "moco-admin" | "moco-backup" | "moco-exporter" | "moco-readonly" | "moco-writable";

/** A pod by its name, or by namespace and name. */
export type PodName = string | { readonly namespace: string; readonly name: string };

/**
 * Brings up nodes with the controller on them, or nothing if that fails.
 *
 * @example
 *   let cluster: OperatorCluster;
 *   beforeAll(async () => {
 *     cluster = await startOperatorCluster({ name: "my-area" });
 *   });
 *   afterAll(() => cluster?.down());
 */
export async function startOperatorCluster({
  name,
  nodes = 1,
  flags = [],
}: OperatorClusterOptions): Promise<OperatorCluster> {
  try {
    const cluster = await up({ name, nodes, auditLog: true });
    await installOperator(cluster, flags);
    return new OperatorCluster(cluster);
  } catch (error) {
    await down(name);
    throw error;
  }
}

/** A real Kubernetes with the controller, as a person with kubectl sees it. */
export class OperatorCluster {
  readonly local: Cluster;
  readonly #killer: Killer | undefined;

  /** With KILL=1 in the environment the controller that acts is killed at random moments, whatever the test is about. */
  constructor(local: Cluster) {
    this.local = local;
    this.#killer = process.env["KILL"] ? new Killer(this) : undefined;
  }

  /** What kubectl prints, without blanks around it. */
  async kubectl(...args: string[]): Promise<string> {
    return (await this.#patiently(args)).trim();
  }

  async apply(...objects: object[]): Promise<void> {
    const list = { apiVersion: "v1", kind: "List", items: objects };
    await this.#patiently(["apply", "-f", "-"], { input: JSON.stringify(list) });
  }

  /** A person tries again when the webhooks of a controller that was just killed don't answer. */
  async #patiently(args: string[], options?: Parameters<Cluster["kubectl"]>[1]): Promise<string> {
    for (;;) {
      try {
        return await this.local.kubectl(args, options);
      } catch (error) {
        if (this.#killer === undefined || !/failed calling webhook/.test(String(error))) throw error;
        await delay(1_000);
      }
    }
  }

  /** Changes fields of a MySQLCluster's spec. */
  async patch(cluster: string, spec: object): Promise<void> {
    await this.kubectl("patch", "mysqlcluster", cluster, "--type=merge", "-p", JSON.stringify({ spec }));
  }

  /** One object, such as get<Pod>("pod", "moco-test-0", "-n", "shop"). */
  async get<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.kubectl("get", ...args, "-o", "json")) as T;
  }

  /** A list of objects, such as list<Pod>("pods", "-l", "app=mysql"). */
  async list<T>(...args: string[]): Promise<T[]> {
    return (await this.get<{ items: T[] }>(...args)).items;
  }

  /** Runs a program in a container and returns what it prints. */
  exec(pod: PodName, container: string, ...command: string[]): Promise<string> {
    const { namespace, name } = typeof pod === "string" ? { namespace: "default", name: pod } : pod;
    return this.kubectl("exec", "-n", namespace, name, "-c", container, "--", ...command);
  }

  /** Rows by lines, columns by tabs, as mysqld in that very pod answers. */
  query(pod: PodName, sql: string, user: QueryUser = "moco-admin"): Promise<string> {
    const login = `--defaults-extra-file=/mysql-credentials/${user}-my.cnf`;
    return this.exec(pod, "mysqld", "mysql", login, "--socket=/run/mysqld.sock", "-BN", "-e", sql);
  }

  /** Everything that all replicas of the controller have logged since they were started. */
  controllerLogs(): Promise<string> {
    return this.kubectl("logs", "-n", systemNamespace, "-l", "app.kubernetes.io/name=moco", "--tail=-1");
  }

  /**
   * Fails if the controller asked for anything that it has no right to. With KEEP=1 in the environment the cluster stays,
   * for a look at it.
   */
  async down(): Promise<void> {
    await this.#killer?.stop();
    try {
      await assertNothingForbidden(this.local, systemNamespace);
    } finally {
      if (!process.env["KEEP"]) await down(this.local.name);
    }
  }
}
