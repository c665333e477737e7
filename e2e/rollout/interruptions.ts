import type { Event } from "@moco-ts/kube";
import { expect } from "vitest";
import { Writer, type OperatorCluster } from "../testing/index.ts";

/** What happened to those who write. */
export interface Cost {
  /** Times that another instance became the primary, as `SwitchOver` or `FailOver`. */
  readonly changes: readonly string[];
  /** Times that writes were refused. */
  readonly interruptions: number;
}

/** Milliseconds. A busy machine breathes for as long as this. */
const noticed = 500;
/** Milliseconds. Refusals that lie closer together have the same reason. */
const apart = 3_000;

/** Lets a client write while something is done. Every row that was acknowledged has to be there afterwards. */
export async function whileWriting(
  operator: OperatorCluster,
  cluster: string,
  work: () => Promise<void>,
): Promise<Cost> {
  const writer = await Writer.start(operator, cluster);
  const began = Date.now();
  await work();
  const lines = (await writer.lines()).filter(({ at }) => at >= began);
  const changes = await changesOf(operator, cluster, began);
  const { acknowledged, lost } = await writer.stop();
  const written = lines.filter((line) => line.acknowledged);
  const gaps = written.slice(1).map(({ at }, index) => at - written[index]!.at);
  const pauses = gaps.filter((gap) => gap >= noticed).sort((one, other) => other - one);
  const longest = pauses.slice(0, 5).join(", ") || "none";
  console.log(`${acknowledged} rows acknowledged, ${pauses.length} pauses of writers, the longest: ${longest} ms`);
  expect(lost).toEqual([]);
  const refused = lines.filter((line) => !line.acknowledged);
  const interruptions = refused.filter(({ at }, index) => index === 0 || at - refused[index - 1]!.at > apart).length;
  return { changes, interruptions };
}

async function changesOf(operator: OperatorCluster, cluster: string, since: number): Promise<string[]> {
  const fields = `involvedObject.kind=MySQLCluster,involvedObject.name=${cluster}`;
  const events = await operator.list<Event>("events", "--field-selector", fields);
  return events
    .filter(
      ({ reason, lastTimestamp }) => /^(SwitchOver|FailOver)$/.test(reason ?? "") && isSince(lastTimestamp, since),
    )
    .map(({ reason }) => reason!);
}

/** Events tell whole seconds. */
function isSince(time: string | undefined, since: number): boolean {
  return time !== undefined && Date.parse(time) >= Math.floor(since / 1_000) * 1_000;
}
