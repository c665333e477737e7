import { clusterLabels, MySQLClusters, podName } from "@moco-ts/api";
import { installDefinitions, testClient, testCluster, testNamespace } from "@moco-ts/api/testing";
import { systemClock } from "@moco-ts/base";
import { ConnectionError, Pods, type Client, type PodStreams } from "@moco-ts/kube";
import { expect, onTestFinished, test, vi } from "vitest";
import { followView } from "./follow.ts";
import type { ClusterView } from "./model.ts";

const patience = { timeout: 60_000, interval: 50 };

/** Nobody answers: this is about the API server. */
const streams: PodStreams = {
  exec: () => Promise.reject(new ConnectionError("no kubelet here")),
  logs: () => Promise.reject(new Error("not asked for")) as never,
  close: async () => undefined,
};

async function createCluster() {
  const client = await testClient();
  await installDefinitions(client);
  const namespace = await testNamespace(client);
  const key = { namespace, name: "test" };
  await client.create(MySQLClusters, testCluster({ replicas: 1 }, key));
  const containers = [{ name: "mysqld", image: "mysql:8.4" }];
  const metadata = { namespace, name: podName("test", 0), labels: clusterLabels("test") };
  await client.create(Pods, { metadata, spec: { containers } });
  return { client, key };
}

/** Follows until the test ends, and keeps what it sees. */
function follow(client: Client, key: { namespace: string; name: string }): ClusterView[] {
  const stop = new AbortController();
  const seen: ClusterView[] = [];
  const following = (async () => {
    const options = { client, streams, clock: systemClock, askInterval: 100 };
    for await (const view of followView(key, options, stop.signal)) seen.push(view);
  })();
  const ended = following.catch((error: unknown) => error);
  onTestFinished(async () => {
    const reason = new Error("the test is over");
    stop.abort(reason);
    expect(await ended).toBe(reason);
  });
  return seen;
}

test("changes come by watches: a quiet cluster costs no request", async () => {
  const { client, key } = await createCluster();
  const [get, list] = [vi.spyOn(client, "get"), vi.spyOn(client, "list")];
  const seen = follow(client, key);
  await expect.poll(() => seen.length, patience).toBeGreaterThan(2);
  const requests = get.mock.calls.length + list.mock.calls.length;
  await expect.poll(() => seen.length, patience).toBeGreaterThan(8);
  expect(get.mock.calls.length + list.mock.calls.length).toBe(requests);

  const body = { status: { currentPrimaryIndex: 0, conditions: [healthy] } };
  await client.patch(MySQLClusters, key, { type: "merge", body }, { subresource: "status" });
  await expect.poll(() => seen.at(-1)?.state, patience).toBe("Degraded");
});

const healthy = {
  type: "Healthy",
  status: "False",
  reason: "Degraded",
  message: "the current state is Degraded",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

test("an API server that is gone is told of, until it is back", async () => {
  const { client, key } = await createCluster();
  const switchable = interruptible(client);
  const seen = follow(switchable.client, key);
  await expect.poll(() => seen.length, patience).toBeGreaterThan(0);
  expect(seen.at(-1)?.problems).toEqual([]);
  switchable.cut();
  await expect
    .poll(() => seen.at(-1)?.problems[0], patience)
    .toMatch(/^The API server has not answered for \d+ s .*cut/);
  expect(seen.at(-1)?.instances).toHaveLength(1);
  switchable.heal();
  await expect.poll(() => seen.at(-1)?.problems, patience).toEqual([]);
});

/** A client whose connections can be cut. */
function interruptible(client: Client) {
  let isCut = false;
  let cutting = Promise.withResolvers<never>();
  const guard = <T>(promise: () => Promise<T>): Promise<T> =>
    isCut ? Promise.reject(new ConnectionError("cut")) : Promise.race([promise(), cutting.promise]);
  cutting.promise.catch(() => undefined);
  const wrapped: Client = {
    ...client,
    get: (resource, key, options) => guard(() => client.get(resource, key, options)),
    list: (resource, options) => guard(() => client.list(resource, options)),
    scan: (resource, options, onItem) => guard(() => client.scan(resource, options, onItem)),
    async *watch(resource, options) {
      const events = client.watch(resource, options)[Symbol.asyncIterator]();
      for (let next = await guard(() => events.next()); !next.done; next = await guard(() => events.next())) {
        yield next.value;
      }
    },
  };
  return {
    client: wrapped,
    cut(): void {
      isCut = true;
      cutting.reject(new ConnectionError("cut"));
    },
    heal(): void {
      isCut = false;
      cutting = Promise.withResolvers();
      cutting.promise.catch(() => undefined);
    },
  };
}
