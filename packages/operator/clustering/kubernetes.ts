import {
  annotationKeys,
  clusterEvents,
  clusterKeyOf,
  labelKeys,
  MySQLClusters,
  mysqlUsers,
  podHostName,
  podName,
  ports,
  replicationSourceKeys,
  type MySQLCluster,
  type Role,
} from "@moco-ts/api";
import { CodedError, describeError, type Clock, type Logger } from "@moco-ts/base";
import { Pods, Secrets, type Client, type EventContent, type ObjectMeta } from "@moco-ts/kube";
import type { Instance, ReplicationSource } from "@moco-ts/mysql";
import type { Passwords } from "../reconciliation/secrets/passwords.ts";
import { occupy } from "./occupy.ts";
import type { Surroundings } from "./ports.ts";
import { readRecord, recordOf, writeRecord } from "./record.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Trace } from "./trace.ts";

/** What an agent is asked to clone into its mysqld. */
export interface CloneOrder {
  readonly ordinal: number;
  readonly address: string;
  readonly donor: { readonly host: string; readonly port: number; readonly user: string; readonly password: string };
  /** Who may log in once the data is the donor's. */
  readonly init: { readonly user: string; readonly password: string };
  /** Milliseconds for mysqld to come back. */
  readonly bootTimeout: number;
}

export interface KubernetesOptions {
  readonly client: Client;
  readonly cluster: MySQLCluster;
  readonly snapshot: Snapshot;
  readonly passwords: Passwords;
  readonly trace: Trace;
  readonly clock: Clock;
  readonly log: Logger;
  readonly instance: (ordinal: number) => Instance | undefined;
  readonly instanceAt: (address: string) => Instance;
  /** Resolves when the clone is complete and mysqld is back. */
  readonly clone: (order: CloneOrder) => Promise<void>;
  readonly tell: (event: EventContent) => void;
  readonly count: (what: "switchover" | "failover") => void;
  /** Something has ended in the background: look again. */
  readonly wake: () => void;
}

/** Acting on a cluster for real. */
export function createSurroundings(options: KubernetesOptions): Surroundings {
  const { client, cluster, snapshot, passwords, trace, clock, log } = options;
  const { namespace, name } = cluster.metadata;
  const patchPod = async (ordinal: number, metadata: Partial<ObjectMeta>, signal: AbortSignal): Promise<void> => {
    const uid = snapshot.instances[ordinal]?.pod?.uid;
    if (uid === undefined) return;
    const key = { namespace, name: podName(name, ordinal) };
    await client.patch(Pods, key, { type: "merge", body: { metadata: { uid, ...metadata } } }, { signal });
  };
  const annotate = (ordinal: number, annotations: { [key: string]: string | null }, signal: AbortSignal) =>
    patchPod(ordinal, { annotations: annotations as { [key: string]: string } }, signal);
  const passwordOf = ({ secretKey }: { readonly secretKey: string }): string => passwords[secretKey] ?? "";

  const occupation = { occupied: trace.cloning, clock, wake: options.wake };
  const runClone = (order: CloneOrder, succeeded: EventContent, failed: (problem: string) => EventContent): void => {
    const { ordinal } = order;
    const work = async (): Promise<void> => {
      await options.clone(order);
      options.tell(succeeded);
    };
    occupy(ordinal, occupation, work, (error) => {
      log.warn("a clone failed", { ordinal, problem: describeError(error) });
      options.tell(failed(describeError(error)));
    });
  };
  const order = (ordinal: number, donor: CloneOrder["donor"], init: CloneOrder["init"]): CloneOrder => {
    const address = snapshot.instances[ordinal]?.pod?.address;
    if (!address) throw new CodedError("CLUSTERING_NO_ADDRESS", `instance ${ordinal} has no address`);
    return { ordinal, address, donor, init, bootTimeout: cluster.spec.startupWaitSeconds * 1_000 };
  };
  const admin = { user: mysqlUsers.admin.name, password: passwordOf(mysqlUsers.admin) };

  return {
    clock,
    log,
    instance: options.instance,
    instanceAt: options.instanceAt,
    sourceFor: (ordinal) => ({
      host: podHostName(clusterKeyOf(cluster), ordinal),
      port: ports.mysql.number,
      user: mysqlUsers.replication.name,
      password: passwordOf(mysqlUsers.replication),
    }),
    externalSource: async (signal) => (await readExternal(client, cluster, signal)).source,

    settling: trace.settling,
    readRecord: (signal) => readRecord(client, cluster, signal),
    async writeRecord(version, change, signal) {
      const primaryIndex = change.primaryIndex ?? snapshot.primaryIndex;
      const written = await writeRecord(client, cluster, version, { primaryIndex, memory: change.memory }, signal);
      trace.latest = written;
      return recordOf(written);
    },

    label: (ordinal: number, role: Role | undefined, signal) =>
      patchPod(ordinal, { labels: { [labelKeys.role]: role ?? null } as { [key: string]: string } }, signal),
    preventDelete: (ordinal, prevent, signal) =>
      annotate(ordinal, { [annotationKeys.preventDelete]: prevent ? "true" : null }, signal),
    forgetRequests: (ordinal, signal) =>
      annotate(
        ordinal,
        { [annotationKeys.demote]: null, [annotationKeys.switchoverTo]: null, [annotationKeys.reclone]: null },
        signal,
      ),
    async forgetEnded(signal) {
      const { uid } = cluster.metadata;
      const body = { metadata: { uid, annotations: { [annotationKeys.endedServers]: null } } };
      await client.patch(MySQLClusters, { namespace, name }, { type: "merge", body }, { signal });
    },

    startEmptying(ordinal, empty) {
      occupy(ordinal, occupation, empty, (error) => {
        log.warn("an instance could not be emptied", { ordinal, problem: describeError(error) });
        options.tell(clusterEvents.clusteringFailed(`emptying instance ${ordinal}: ${describeError(error)}`));
      });
    },
    startClone(ordinal, donor) {
      const host = snapshot.instances[donor]?.pod?.address ?? "";
      const user = mysqlUsers.cloneDonor;
      const from = { host, port: ports.mysqlAdmin.number, user: user.name, password: passwordOf(user) };
      runClone(order(ordinal, from, admin), clusterEvents.cloned(ordinal), (problem) =>
        clusterEvents.cloneFailed(ordinal, problem),
      );
    },
    startCloneFromSource(ordinal) {
      const background = async (): Promise<void> => {
        const { source, init } = await readExternal(client, cluster, AbortSignal.timeout(10_000));
        runClone(order(ordinal, source, init), clusterEvents.initCloned(), clusterEvents.initCloneFailed);
      };
      background().catch((error: unknown) => options.tell(clusterEvents.initCloneFailed(describeError(error))));
    },
    tell: options.tell,
    count: options.count,
  };
}

interface External {
  readonly source: ReplicationSource;
  readonly init: { readonly user: string; readonly password: string };
}

async function readExternal(client: Client, cluster: MySQLCluster, signal: AbortSignal): Promise<External> {
  const { namespace } = cluster.metadata;
  const name = cluster.spec.replicationSourceSecretName ?? "";
  const { data = {} } = await client.get(Secrets, { namespace, name }, { signal });
  const read = (key: string): string => {
    const value = data[key];
    if (value) return Buffer.from(value, "base64").toString();
    throw new CodedError(
      "REPLICATION_SOURCE_INCOMPLETE",
      `Secret ${name} of spec.replicationSourceSecretName has no ${key}`,
    );
  };
  const keys = replicationSourceKeys;
  return {
    source: {
      host: read(keys.host),
      port: Number(read(keys.port)),
      user: read(keys.user),
      password: read(keys.password),
    },
    init: { user: read(keys.initUser), password: read(keys.initPassword) },
  };
}
