/**
 * The controller of replication: looks at a cluster, decides, acts, and looks again until nothing is left to be done. It
 * works on the same keys as reconciliation does and is independent of how that goes.
 */
import { annotationKeys, clusterEvents, isAnnotated, MySQLClusters, mysqlUsers, type MySQLCluster } from "@moco-ts/api";
import { describeError, type Clock, type Logger } from "@moco-ts/base";
import {
  done,
  isConflict,
  isEarlier,
  isNotFound,
  keyOf,
  requeueAfter,
  type Applier,
  type Client,
  type Configuration,
  type EventContent,
  type EventRecorder,
  type Key,
  type Outcome,
  type Pod,
  type ReconcileContext,
} from "@moco-ts/kube";
import type { Instance } from "@moco-ts/mysql";
import type { Caches } from "../caches.ts";
import type { ClusterMetrics } from "../metrics.ts";
import { instanceOrdinal, podsOf } from "../pods.ts";
import { namesOfCluster } from "../reconciliation/metadata.ts";
import { passwordsOf, type Passwords } from "../reconciliation/secrets/passwords.ts";
import { act, type Problem } from "./act/act.ts";
import { decide } from "./decide/decide.ts";
import { createSurroundings, type CloneOrder } from "./kubernetes.ts";
import { memoryOf, observe } from "./observe.ts";
import { isActive, isAwaited, isUrgent, type Plan } from "./plan.ts";
import type { Surroundings } from "./ports.ts";
import { readRecord, writeRecord } from "./record.ts";
import { reportOf, type Report } from "./report.ts";
import type { Snapshot } from "./snapshot.ts";
import { statusOf, stoppedStatusOf } from "./status.ts";
import { Trace } from "./trace.ts";

export interface ClusteringOptions {
  /** Writes only while this replica leads. */
  readonly client: Client;
  /** With the field manager of clustering. */
  readonly applier: Applier;
  readonly caches: Pick<Caches, "clusters" | "pods" | "secrets" | "statefulSets">;
  readonly systemNamespace: string;
  readonly events: Pick<EventRecorder, "record">;
  readonly metrics: ClusterMetrics;
  readonly clock: Clock;
  readonly instances: Instances;
  readonly clone: (cluster: MySQLCluster, order: CloneOrder) => Promise<void>;
  /** Look at a cluster again, as something has changed that no watch tells of. */
  readonly wake: (key: Key) => void;
}

/** Connections to mysqld, kept as long as they are asked for. */
export interface Instances {
  /** The mysqld of a Pod, followed by a heartbeat; undefined while the Pod has no address. */
  of(cluster: Key, pod: Pod, login: Login): Instance | undefined;
  /** One that no Pod has any more. */
  at(cluster: Key, address: string, login: Login): Instance;
  /** Ends all connections of the cluster but those to these Pods. */
  retain(cluster: Key, pods: readonly Pod[]): void;
}

export type Login = () => { readonly user: string; readonly password: string };

/** What one check is about. */
interface Subject {
  readonly key: Key;
  readonly cluster: MySQLCluster;
  readonly pods: readonly Pod[];
  readonly trace: Trace;
  readonly passwords: Passwords;
  readonly login: Login;
}

export class Clustering {
  readonly #options: ClusteringOptions;
  readonly #traces = new Map<Key, Trace>();

  constructor(options: ClusteringOptions) {
    this.#options = options;
    options.caches.pods.subscribe({
      deleted: (pod) => {
        for (const trace of this.#traces.values()) trace.deaths.note(pod, options.clock.now());
      },
    });
  }

  async reconcile(key: Key, context: ReconcileContext): Promise<Outcome> {
    const { caches, instances } = this.#options;
    const cached = caches.clusters.cache.get(key);
    if (cached === undefined || cached.metadata.deletionTimestamp !== undefined) {
      this.#traces.delete(key);
      instances.retain(key, []);
      return done;
    }
    const trace = this.#traceOf(key);
    const cluster = newest(cached, trace.latest);
    if (isAnnotated(cluster, annotationKeys.clusteringStopped)) return this.#stop(key, cluster, context);
    if (await this.#restoreMemory(cluster, trace, context)) return requeueAfter(0);
    return this.#check(key, cluster, trace, context);
  }

  #traceOf(key: Key): Trace {
    let trace = this.#traces.get(key);
    if (trace === undefined) this.#traces.set(key, (trace = new Trace(this.#options.clock)));
    return trace;
  }

  async #stop(key: Key, cluster: MySQLCluster, { signal }: ReconcileContext): Promise<Outcome> {
    const { clock, instances, metrics } = this.#options;
    instances.retain(key, []);
    reportOf(metrics, cluster).stopped();
    await this.#writeStatus(cluster, stoppedStatusOf(cluster, clock.now()), signal);
    return done;
  }

  /** Programs that do not know of the memory may replace the status without it. */
  async #restoreMemory(cluster: MySQLCluster, trace: Trace, { signal, log }: ReconcileContext): Promise<boolean> {
    const memory = memoryOf(cluster);
    if (memory !== undefined || trace.memory === undefined) {
      trace.memory = memory;
      return false;
    }
    const { client } = this.#options;
    const record = await readRecord(client, cluster, signal);
    if (record.memory === undefined) {
      log.warn("the record of replication was removed from the status: it is written again");
      const { primaryIndex, version } = record;
      trace.latest = await writeRecord(client, cluster, version, { primaryIndex, memory: trace.memory }, signal);
    }
    return true;
  }

  async #check(key: Key, cluster: MySQLCluster, trace: Trace, context: ReconcileContext): Promise<Outcome> {
    const { caches, clock, instances, metrics } = this.#options;
    const { signal, log } = context;
    const passwords = this.#passwords(cluster);
    // Nobody can log in before reconciliation has made the users' passwords.
    if (passwords === undefined) return requeueAfter(1_000, "there are no passwords yet");
    const pods = podsOf(caches, cluster);
    instances.retain(key, pods);
    const subject: Subject = { key, cluster, pods, trace, passwords, login: loginOf(passwords) };
    const report = reportOf(metrics, cluster);
    const end = report.begin();
    try {
      const snapshot = await this.#observe(subject, signal);
      const plan = decide(snapshot);
      const repeats = trace.repeats(describePlan(plan));
      const { state, reason } = plan;
      if (repeats === 0) log.info("clustering plan", { state, reason, steps: stepNames(plan) });
      this.#tellErrants(cluster, plan);
      report.found(snapshot, plan);
      trace.suspects = new Set(plan.suspects);
      const writeStatus = () => this.#writeStatus(cluster, statusOf(cluster, snapshot, plan, clock.now()), signal);
      const hurries = isUrgent(plan) && repeats === 0;
      if (!hurries) await writeStatus();
      const problems = await act(plan, snapshot, this.#surroundings(subject, snapshot, log, report), signal);
      if (hurries) await writeStatus();
      return this.#outcome(subject, plan, problems, repeats);
    } catch (error) {
      if (isStale(error) || isConflict(error)) return requeueAfter(20, "somebody else was faster");
      report.failed();
      throw error;
    } finally {
      end();
    }
  }

  #observe({ key, cluster, pods, trace, login }: Subject, signal: AbortSignal): Promise<Snapshot> {
    const { caches, clock, instances } = this.#options;
    const { namespace } = cluster.metadata;
    const statefulSet = caches.statefulSets.cache.get(keyOf({ namespace, name: namesOfCluster(cluster).statefulSet }));
    const sight = {
      cluster,
      pods,
      updateRevision: statefulSet?.status?.updateRevision,
      trace,
      clock,
      instanceOf: (pod: Pod) => instances.of(key, pod, login),
      instanceAt: (address: string) => instances.at(key, address, login),
    };
    return observe(sight, signal);
  }

  #surroundings(subject: Subject, snapshot: Snapshot, log: Logger, report: Report): Surroundings {
    const { client, clock, clone, instances, wake } = this.#options;
    const { key, cluster, pods, trace, passwords, login } = subject;
    const { memory, primaryIndex } = snapshot;
    return createSurroundings({
      client,
      cluster,
      snapshot,
      passwords,
      trace,
      clock,
      log,
      instance: (ordinal) => {
        const view = snapshot.instances[ordinal];
        // The primary whose Pod is gone: it is where it was.
        const isLeft = ordinal === primaryIndex && view?.pod === undefined && view?.state !== undefined;
        if (isLeft && memory) return instances.at(key, memory.primaryAddress, login);
        const pod = pods.find((each) => instanceOrdinal(each) === ordinal);
        return pod && instances.of(key, pod, login);
      },
      instanceAt: (address) => instances.at(key, address, login),
      clone: (order) => clone(cluster, order),
      tell: (event) => this.#tell(cluster, event),
      count: report.count,
      wake: () => wake(key),
    });
  }

  #outcome({ cluster, trace }: Subject, plan: Plan, problems: readonly Problem[], repeats: number): Outcome {
    for (const { step, error } of problems) {
      if (step === "switchover") trace.switchoverFailed();
      // These tell of themselves; and it is for commits that hang to tell that a nudge did not help.
      if (step === "switchover" || step === "failover" || step === "nudge" || isPassing(error)) continue;
      this.#tell(cluster, clusterEvents.clusteringFailed(`${step}: ${describeError(error)}`));
    }
    trace.hurries = isAwaited(plan) && repeats === 0;
    // The same plan again and again helps nobody: something else has to change first.
    if (isActive(plan)) return requeueAfter(repeats === 0 ? 0 : Math.min(50 * 2 ** repeats, 5_000));
    if (plan.again !== undefined) return requeueAfter(plan.again);
    return done;
  }

  #tellErrants(cluster: MySQLCluster, { errant }: Plan): void {
    const before = cluster.status?.errantReplicaList ?? [];
    for (const ordinal of errant)
      if (!before.includes(ordinal)) this.#tell(cluster, clusterEvents.errantFound(ordinal));
  }

  #tell(regarding: MySQLCluster, event: EventContent): void {
    this.#options.events.record(regarding, event);
  }

  #passwords(cluster: MySQLCluster): Passwords | undefined {
    const { caches, systemNamespace: namespace } = this.#options;
    const secret = caches.secrets.cache.get(keyOf({ namespace, name: namesOfCluster(cluster).controllerSecret }));
    return secret && passwordsOf(secret);
  }

  async #writeStatus(cluster: MySQLCluster, status: Configuration<MySQLCluster>, signal: AbortSignal): Promise<void> {
    const trace = this.#traceOf(keyOf(cluster));
    try {
      const { object } = await this.#options.applier.apply(MySQLClusters, status, {
        live: cluster,
        trustLive: true,
        subresource: "status",
        signal,
      });
      trace.latest = newest(object, trace.latest);
    } catch (error) {
      // It was deleted in between.
      if (!isNotFound(error)) throw error;
    }
  }
}

function newest(one: MySQLCluster, other: MySQLCluster | undefined): MySQLCluster {
  if (other === undefined || other.metadata.uid !== one.metadata.uid) return one;
  return isEarlier(one.metadata.resourceVersion ?? "", other.metadata.resourceVersion ?? "") ? other : one;
}

function loginOf(passwords: Passwords): Login {
  const { name: user, secretKey } = mysqlUsers.admin;
  return () => ({ user, password: passwords[secretKey] ?? "" });
}

/** Nothing that a person has to know of: it is tried again at once. */
function isPassing(error: unknown): boolean {
  return isConflict(error) || isStale(error) || codeOf(error) === "CLUSTERING_NOT_RECEIVED";
}

function isStale(error: unknown): boolean {
  return codeOf(error) === "CLUSTERING_STALE";
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function describePlan({ state, reason, steps, perInstance }: Plan): string {
  return JSON.stringify({ state, reason, steps, perInstance });
}

function stepNames({ steps, perInstance }: Plan): string[] {
  return [
    ...steps.map(({ kind }) => kind),
    ...perInstance.flatMap((each) => each.steps.map(({ kind }) => `${kind} ${each.ordinal}`)),
  ];
}
