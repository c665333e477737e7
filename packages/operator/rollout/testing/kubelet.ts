/** For API tests without nodes: does for Pods what a kubelet does, as far as a rolling update sees it. */
import { labelKeys } from "@moco-ts/api";
import { createInformer, isConflict, isNotFound, Pods, type Client, type Pod, type PodStatus } from "@moco-ts/kube";
import { onTestFinished } from "vitest";

/** What becomes of a Pod. */
export type Fate = "ready" | "starting" | "image" | "not-ready" | "evicted";

export async function startKubelet(client: Client, namespace: string, cluster: string, replicas: number) {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort(new Error("the test is over")));
  const labelSelector = `${labelKeys.instance}=${cluster}`;
  const pods = createInformer(client, Pods, { namespaces: [namespace], labelSelector });
  let fateOf: (pod: Pod) => Fate = () => "ready";
  let [most, wanted] = [0, replicas];
  const work = async (pod: Pod): Promise<void> => {
    if (pod.metadata?.deletionTimestamp !== undefined) return;
    const status = statusOf(pod, fateOf(pod));
    if (status === undefined) return;
    const key = { namespace, name: pod.metadata!.name! };
    const body = { metadata: { uid: pod.metadata!.uid }, status };
    await client.patch(Pods, key, { type: "merge", body }, { subresource: "status" }).catch((error: unknown) => {
      // Another Pod has its name by now, or none.
      if (!isNotFound(error) && !isConflict(error) && !stopping.signal.aborted) throw error;
    });
  };
  const count = (): void => {
    const up = pods.cache.list().filter((pod) => pod.metadata?.deletionTimestamp === undefined && isReady(pod)).length;
    most = Math.max(most, wanted - up);
  };
  pods.subscribe({
    added: (pod) => (count(), void work(pod)),
    updated: (pod) => (count(), void work(pod)),
    deleted: count,
  });
  void pods.run(stopping.signal);
  await pods.waitForSync(stopping.signal);
  return {
    async decide(fate: (pod: Pod) => Fate) {
      fateOf = fate;
      for (const pod of pods.cache.list()) await work(pod);
    },
    expect(members: number) {
      [most, wanted] = [0, members];
    },
    mostDown: () => most,
  };
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

/** What its status shall be; undefined if it is so. Who is Ready has been so long enough. */
function statusOf(pod: Pod, fate: Fate): PodStatus | undefined {
  const mark = pod.status?.message;
  if (mark === fate) return undefined;
  if (fate === "evicted") return { phase: "Failed", reason: "Evicted", message: fate };
  const [before, after] = [at(-60), at(-30)];
  const wasReady = isReady(pod);
  const isReadyNow = fate === "ready";
  const condition = (type: string, isTrue: boolean, time: string) => ({
    type,
    status: isTrue ? "True" : "False",
    lastTransitionTime: time,
  });
  const state = fate === "image" ? { waiting: { reason: "ImagePullBackOff" } } : { running: { startedAt: before } };
  return {
    phase: fate === "image" ? "Pending" : "Running",
    message: fate,
    conditions: [
      condition("PodScheduled", true, before),
      condition("Initialized", true, before),
      condition("ContainersReady", isReadyNow, after),
      condition("Ready", isReadyNow, isReadyNow || wasReady ? after : before),
    ],
    containerStatuses: [
      { name: "mysqld", image: "mysql:9", imageID: "", ready: isReadyNow, restartCount: 0, started: isReadyNow, state },
    ],
  };
}

function at(seconds: number): string {
  return `${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19)}Z`;
}
