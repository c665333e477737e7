import type { Event } from "@moco-ts/kube";
import type { OperatorCluster, Writer } from "../testing/index.ts";

/** What a rolling update cost those who write. */
export interface Cost {
  /** Times that another instance became the primary, as `SwitchOver` or `FailOver`. */
  readonly changes: readonly string[];
  /** Times that writes were refused. */
  readonly interruptions: number;
  /** Milliseconds without an acknowledged write, those that are noticed, longest first. */
  readonly pauses: readonly number[];
}

/** Milliseconds. A busy machine breathes for as long as this. */
const noticed = 500;
/** Milliseconds. Refusals that lie closer together have the same reason. */
const apart = 3_000;

/** Of what has happened since a moment. */
export async function costOf(operator: OperatorCluster, cluster: string, writer: Writer, since: number): Promise<Cost> {
  const lines = (await writer.lines()).filter(({ at }) => at >= since);
  const refused = lines.filter(({ acknowledged }) => !acknowledged);
  const written = lines.filter(({ acknowledged }) => acknowledged);
  const gaps = written.slice(1).map(({ at }, index) => at - written[index]!.at);
  return {
    changes: await changesOf(operator, cluster, since),
    interruptions: refused.filter(({ at }, index) => index === 0 || at - refused[index - 1]!.at > apart).length,
    pauses: gaps.filter((gap) => gap >= noticed).sort((one, other) => other - one),
  };
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
