import { annotationKeys, labelKeys, podName, type MySQLCluster, type Role } from "@moco-ts/api";
import type { Pod } from "@moco-ts/kube";
import { GtidSet, reservedUuid } from "@moco-ts/mysql";
import type { Answers, InstanceReport } from "../instances/report.ts";
import type { ClusterView, InstanceView } from "../model.ts";
import { isReady, podStatusOf, restartsOf } from "./pod-status.ts";

type Facts = Pick<InstanceView, "index" | "isPrimary" | "mysqld">;

/** The annotations that ask something of the operator or of whoever deletes Pods. */
const requestKeys = [
  annotationKeys.demote,
  annotationKeys.switchoverTo,
  annotationKeys.reclone,
  annotationKeys.preventDelete,
];

export function instancesOf(
  cluster: MySQLCluster,
  pods: ReadonlyMap<number, Pod>,
  answers: Answers,
  updateRevision: string | undefined,
): Required<Pick<ClusterView, "instances">> & Pick<ClusterView, "gapsAgainst"> {
  const { replicas, offline } = cluster.spec;
  const { currentPrimaryIndex, errantReplicaList = [], clustering } = cluster.status ?? {};
  const wanted = offline ? 0 : replicas;
  const indexes = new Set([...Array.from({ length: wanted }, (_, index) => index), ...pods.keys()]);
  const facts = [...indexes]
    .sort((one, other) => one - other)
    .map((index) => ({ index, isPrimary: index === currentPrimaryIndex, mysqld: mysqldOf(index, pods, answers) }));
  const compare = comparisonOf(facts);
  const instances = facts.map((each): InstanceView => {
    const pod = pods.get(each.index);
    return {
      index: each.index,
      pod: podName(cluster.metadata.name, each.index),
      isPrimary: each.isPrimary,
      ...podFacts(pod, updateRevision),
      mysqld: each.mysqld,
      ...(clustering && each.mysqld.answered && { votes: clustering.voters.includes(each.mysqld.uuid) }),
      ...compare.of(each),
      isErrant: errantReplicaList.includes(each.index),
    };
  });
  return { instances, ...(compare.against && { gapsAgainst: compare.against }) };
}

function mysqldOf(index: number, pods: ReadonlyMap<number, Pod>, answers: Answers): InstanceView["mysqld"] {
  const answer = answers.get(index);
  if (answer && "uuid" in answer) return { answered: true, ...answer };
  return { answered: false, reason: answer?.reason ?? (pods.has(index) ? "not asked" : "there is no Pod") };
}

function podFacts(pod: Pod | undefined, updateRevision: string | undefined) {
  if (!pod) return { status: "Missing", ready: false, restarts: 0, updated: false, requests: {} };
  const { labels = {}, annotations = {}, creationTimestamp } = pod.metadata ?? {};
  const role = labels[labelKeys.role] as Role | undefined;
  return {
    ...podStatusOf(pod),
    ready: isReady(pod),
    restarts: restartsOf(pod),
    ...(role && { role }),
    ...(pod.spec?.nodeName && { node: pod.spec.nodeName }),
    ...(creationTimestamp && { since: creationTimestamp }),
    updated: labels["controller-revision-hash"] === updateRevision,
    requests: Object.fromEntries(
      requestKeys.flatMap((key) => (key in annotations ? [[key.slice(key.indexOf("/") + 1), annotations[key]!]] : [])),
    ),
  };
}

interface Comparison {
  readonly against: ClusterView["gapsAgainst"];
  of(instance: Facts): Pick<InstanceView, "gap" | "errant">;
}

/** Compares what instances have with what the primary has, or where that is not known with what any has. */
function comparisonOf(instances: readonly Facts[]): Comparison {
  const primary = instances.find(({ isPrimary, mysqld }) => isPrimary && mysqld.answered)?.mysqld;
  if (primary?.answered) {
    const wanted = GtidSet.parse(primary.executed);
    return {
      against: "primary",
      of: ({ mysqld, isPrimary }) => (mysqld.answered && !isPrimary ? difference(mysqld, wanted, primary.uuid) : {}),
    };
  }
  const received = instances.flatMap(({ mysqld }) => (mysqld.answered ? [receivedBy(mysqld)] : []));
  if (received.length === 0) return { against: undefined, of: () => ({}) };
  const all = received.reduce((sum, each) => sum.union(each));
  return {
    against: "all",
    of: ({ mysqld }) => (mysqld.answered ? { gap: sizeOf(all.subtract(GtidSet.parse(mysqld.executed))) } : {}),
  };
}

function difference(
  report: InstanceReport,
  wanted: GtidSet,
  primaryUuid: string,
): Pick<InstanceView, "gap" | "errant"> {
  const executed = GtidSet.parse(report.executed);
  const gap = sizeOf(wanted.subtract(executed));
  // The primary may have been asked a moment earlier: what comes from itself is not errant, but newer than its answer.
  const foreign = executed.subtract(wanted);
  const errant = foreign.subtract(foreign.from([primaryUuid, reservedUuid]));
  return { gap, ...(!errant.isEmpty && { errant: { transactions: sizeOf(errant), gtids: errant.toString() } }) };
}

function receivedBy({ executed, replica }: InstanceReport): GtidSet {
  const set = GtidSet.parse(executed);
  return replica ? set.union(GtidSet.parse(replica.retrieved)) : set;
}

function sizeOf(set: GtidSet): number {
  return Number(set.size);
}
