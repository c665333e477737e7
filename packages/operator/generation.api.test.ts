/** A StatefulSet changes only for a reason: every change of its template restarts mysqld. */
import { BackupPolicies, MySQLClusters } from "@moco-ts/api";
import { installDefinitions, testClient, testJobConfig, testNamespace, testPolicy } from "@moco-ts/api/testing";
import { ConfigMaps, CronJobs, StatefulSets, type Client } from "@moco-ts/kube";
import { describe, expect, test } from "vitest";
import { mocoCluster, mocoUserOptions } from "./reconciliation/testing/moco.ts";
import { startOperator, type RunningOperator } from "./testing/operator.ts";

const patience = { timeout: 90_000, interval: 200 };

describe.each([
  { version: 1, agent: "--agent-image-v1", other: "--agent-image" },
  { version: 2, agent: "--agent-image", other: "--agent-image-v1" },
])("the StatefulSet of a cluster with many settings, at version $version", ({ version, agent, other }) => {
  test("changes with its agent, its options and its Pods, and with nothing else", { timeout: 600_000 }, async () => {
    const world = await createWorld(version);
    const images = { [agent]: "agent:1", [other]: "other:1" };
    const first = await world.after(images);

    expect(await world.after(images)).toEqual(first);
    expect(await world.after({ ...images, [other]: "other:2" })).toEqual(first);
    expect(await world.after({ ...images, "--fluent-bit-image": "f:2", "--mysqld-exporter-image": "e:2" })).toEqual(
      first,
    );

    // What others write, and what does not concern the Pods.
    expect(await world.meanwhile(images, async () => world.edit({ metadata: { annotations: { note: "x" } } }))).toEqual(
      first,
    );
    expect(
      await world.meanwhile(images, async () => world.edit({ spec: { maxDelaySecondsForPodDeletion: 9 } })),
    ).toEqual(first);
    expect(await world.meanwhile(images, async () => world.touchStatefulSet())).toEqual(first);
    expect(await world.version()).toBe(version);

    const agents = await world.after({ ...images, [agent]: "agent:2" });
    expect(agents.generation).toBeGreaterThan(first.generation);
    expect(agents.images).toEqual({ ...first.images, agent: "agent:2", "copy-moco-init": "agent:2" });

    // An edit that restarts mysqld anyway brings what had to wait.
    const later = { ...images, [agent]: "agent:2", "--fluent-bit-image": "f:2", "--mysqld-exporter-image": "e:2" };
    const edited = await world.meanwhile(later, async () => world.editOptions({ long_query_time: "7" }));
    expect(edited.generation).toBeGreaterThan(agents.generation);
    await expect.poll(() => world.version(), patience).toBe(2);
    expect(edited.images).toMatchObject({ "slow-log": "f:2", "mysqld-exporter": "e:2" });
  });
});

interface Seen {
  readonly generation: number;
  readonly images: Readonly<Record<string, string | undefined>>;
}

type Flags = Readonly<Record<string, string>>;

async function createWorld(version: number) {
  const client = await testClient();
  await installDefinitions(client);
  const [namespace, system] = [await testNamespace(client), await testNamespace(client)];
  const { metadata, spec } = mocoCluster();
  const { primaryServiceTemplate: _, ...rest } = spec;
  await client.create(ConfigMaps, { metadata: { namespace, name: "mycnf" }, data: mocoUserOptions });
  const jobConfig = testJobConfig();
  await client.create(BackupPolicies, testPolicy({ jobConfig }, { namespace, name: "daily" }));
  const cluster = {
    metadata: { name: "c", namespace, finalizers: metadata.finalizers! },
    spec: { ...rest, replicas: 1, backupPolicyName: "daily" },
  };
  await client.create(MySQLClusters, cluster);
  const key = { namespace, name: "c" };
  if (version === 1) {
    const body = { status: { reconcileInfo: { generation: 1, reconcileVersion: 1 } } };
    await client.patch(MySQLClusters, key, { type: "merge", body }, { subresource: "status" });
  }
  let round = 0;
  /** Its image is changed after the StatefulSet: when it is there, the StatefulSet has been looked at. */
  const reconciled = async (image: string): Promise<Seen> => {
    const name = "moco-backup-c";
    const backup = async () => {
      const { items } = await client.list(CronJobs, { namespace });
      const { spec: job } = items.find(({ metadata: { name: found } = {} }) => found === name) ?? {};
      return job?.jobTemplate.spec?.template.spec?.containers[0]?.image;
    };
    await expect.poll(backup, patience).toBe(image);
    return look(client, namespace);
  };
  const run = async (flags: Flags): Promise<[RunningOperator, string]> => {
    const image = `backup:${++round}`;
    const given = Object.entries({ ...flags, "--backup-image": image }).map(([name, value]) => `${name}=${value}`);
    return [await startOperator(system, given), image];
  };
  return {
    /** A controller with these flags has been at work. */
    async after(flags: Flags): Promise<Seen> {
      const [operator, image] = await run(flags);
      const seen = await reconciled(image);
      await operator.stop();
      return seen;
    },
    /** Something has happened while a controller was at work, and another one after that. */
    async meanwhile(flags: Flags, happens: () => Promise<unknown>): Promise<Seen> {
      const [operator, image] = await run(flags);
      await reconciled(image);
      await happens();
      await operator.stop();
      return this.after(flags);
    },
    version: async () => (await client.get(MySQLClusters, key)).status?.reconcileInfo?.reconcileVersion,
    edit: (body: object) => client.patch(MySQLClusters, key, { type: "merge", body }),
    editOptions: (data: Record<string, string>) =>
      client.patch(ConfigMaps, { namespace, name: "mycnf" }, { type: "merge", body: { data } }),
    /** As `kubectl annotate` does. */
    touchStatefulSet: () =>
      client.patch(
        StatefulSets,
        { namespace, name: "moco-c" },
        {
          type: "merge",
          body: { metadata: { annotations: { note: String(round) } } },
        },
      ),
  };
}

/** Once nobody has anything left to do. */
async function look(client: Client, namespace: string): Promise<Seen> {
  const read = () => client.get(StatefulSets, { namespace, name: "moco-c" });
  const settled = async () => {
    const { metadata, spec, status } = await read();
    const partition = spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
    const isDone = status?.currentRevision === status?.updateRevision ? partition === 0 : true;
    return status?.observedGeneration === metadata?.generation && isDone;
  };
  await expect.poll(settled, patience).toBe(true);
  const { metadata, spec } = await read();
  const { containers = [], initContainers = [] } = spec?.template.spec ?? {};
  return {
    generation: metadata!.generation!,
    images: Object.fromEntries([...containers, ...initContainers].map(({ name, image }) => [name, image])),
  };
}
