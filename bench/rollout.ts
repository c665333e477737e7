/**
 * A rolling update of three instances on a real node, while a client writes: how long in all, how much of that is the Pods'
 * own time to end and to start, and how often and how long the client had to wait. The peer is MOCO 0.36, measured in the
 * same way on an idle machine of two cores; its figures are fixed here. Times are worth something only where nothing else
 * runs; the ratio and the number of pauses are the same anywhere.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { StatefulSet } from "@moco-ts/kube";
import { Members } from "../e2e/rollout/members.ts";
import {
  manifest,
  mysqldContainer,
  startOperatorCluster,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../e2e/testing/index.ts";
import { pausesOf } from "../e2e/testing/writer/writer.ts";
import { readyLongEnough } from "../packages/operator/rollout/decide.ts";

export const rolloutDefaults = { rounds: 3 };

const moco = { seconds: [206, 216], pauses: "2 of 2 s" } as const;
const cluster = "three";
const replicas = 3;
/** Milliseconds. Shorter ones are not noticed. */
const noticed = 200;

export async function benchRollout({ rounds }: typeof rolloutDefaults): Promise<void> {
  const operator = await startOperatorCluster({ name: "bench-rollout" });
  try {
    await operator.apply(manifest({ name: cluster, replicas, spec: template(0) }));
    await waitForCondition(operator, cluster, "Healthy", "True", 600_000);
    const writer = await Writer.start(operator, cluster);
    const totals: number[] = [];
    for (let round = 1; round <= rounds; round++) totals.push(await measure(operator, writer, round));
    const { acknowledged, lost } = await writer.stop();
    console.log(`acknowledged rows ${acknowledged}, of which lost ${lost.length}`);
    const [least, most] = moco.seconds;
    const shares = totals.map((total) => (total / 1000 / ((least + most) / 2)).toFixed(2)).join(", ");
    console.log(`${shares} of MOCO 0.36's ${least} to ${most} s, in which writers pause ${moco.pauses}`);
  } finally {
    await operator.down();
  }
}

/** Returns the milliseconds that it took in all. */
async function measure(operator: OperatorCluster, writer: Writer, round: number): Promise<number> {
  const members = await Members.follow(operator, cluster, replicas);
  // All were Ready for long: else the first one would wait for what was before.
  await delay(readyLongEnough);
  const began = Date.now();
  await operator.patch(cluster, template(round));
  while (!(await isComplete(operator)) || members.restarts.length < replicas) await delay(200);
  await waitForCondition(operator, cluster, "Healthy", "True", 600_000);
  members.stop();
  const { restarts } = members;
  const ended = Math.max(...restarts.map(({ to }) => to));
  const own = restarts.reduce((sum, { from, to }) => sum + to - from, 0);
  const lines = (await writer.lines()).filter(({ at, acknowledged }) => acknowledged && at >= began);
  const pauses = pausesOf(lines).filter((pause) => pause >= noticed);
  const each = restarts.map(({ pod, from, to }) => `${pod} ${seconds(to - from)}`).join(", ");
  console.log(
    `rolling update ${round}: ${seconds(ended - began)} s in all, ${((ended - began) / own).toFixed(2)} times the ` +
      `Pods' own ${seconds(own)} s (${each}); pauses of writers ${pauses.length}: ${pauses.join(", ")} ms`,
  );
  return ended - began;
}

function template(version: number): object {
  return {
    podTemplate: {
      metadata: { annotations: { version: String(version) } },
      spec: { containers: [mysqldContainer()] },
    },
  };
}

async function isComplete(operator: OperatorCluster): Promise<boolean> {
  const { metadata, status } = await operator.get<StatefulSet>("statefulset", `moco-${cluster}`);
  return status?.observedGeneration === metadata?.generation && status?.updatedReplicas === replicas;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
