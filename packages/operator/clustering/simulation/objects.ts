/** The model's objects as the API server would give them to the code under test. */
import { annotationKeys, labelKeys, podHostName, type MySQLCluster } from "@moco-ts/api";
import type { Pod } from "@moco-ts/kube";
import type { Objects, PodObject } from "./api-server.ts";

const key = { namespace: "test", name: "test" };

/** When simulated time begins, in milliseconds since the epoch. */
export const epoch = Date.UTC(2026, 0, 1);

export const updateRevision = "1";

export function hostOf(ordinal: number): string {
  return podHostName(key, ordinal);
}

export function ordinalOf(host: string): number {
  return Number(/-(\d+)\./.exec(host)?.[1]);
}

export function toCluster({ record, replicas, errant, ended }: Objects): MySQLCluster {
  const cluster = {
    apiVersion: "moco.cybozu.com/v1beta2",
    kind: "MySQLCluster",
    metadata: {
      ...key,
      uid: "cluster",
      resourceVersion: record.version,
      annotations: {
        [annotationKeys.autoRecloneErrant]: "true",
        ...(ended.length > 0 && { [annotationKeys.endedServers]: ended.join() }),
      },
    },
    spec: { replicas, podTemplate: { spec: { containers: [] } } },
    status: { currentPrimaryIndex: record.primaryIndex, clustering: record.memory, errantReplicaList: errant },
  };
  return cluster as unknown as MySQLCluster;
}

export function toPod(pod: PodObject, ordinal: number): Pod {
  const { uid, address, ready, terminating, role, demote, demoteTo, reclone, preventDelete } = pod;
  const object = {
    metadata: {
      uid,
      namespace: key.namespace,
      name: `moco-${key.name}-${ordinal}`,
      labels: { ...(role && { [labelKeys.role]: role }), "controller-revision-hash": updateRevision },
      annotations: {
        ...(demote && { [annotationKeys.demote]: "true" }),
        ...(demoteTo !== undefined && { [annotationKeys.switchoverTo]: String(demoteTo) }),
        ...(reclone && { [annotationKeys.reclone]: "true" }),
        ...(preventDelete && { [annotationKeys.preventDelete]: "true" }),
      },
      ...(terminating && { deletionTimestamp: new Date(epoch).toISOString() }),
    },
    status: {
      podIP: address,
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      containerStatuses: containerStatuses(pod),
    },
  };
  return object as unknown as Pod;
}

function containerStatuses({ container, previous }: PodObject): unknown[] {
  if (container === undefined) return [];
  const terminated = ({ id, ended }: { id: string; ended: number | undefined }) =>
    ended === undefined
      ? undefined
      : { terminated: { containerID: id, finishedAt: new Date(epoch + ended).toISOString() } };
  return [
    {
      name: "mysqld",
      containerID: container.id,
      state: terminated(container) ?? { running: {} },
      lastState: (previous && terminated(previous)) ?? {},
    },
  ];
}
