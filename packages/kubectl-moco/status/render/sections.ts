import { conditionTypes } from "@moco-ts/api";
import type { ClusterView, ConditionView, VolumeView } from "@moco-ts/view";
import { formatAge } from "./age.ts";
import type { Style } from "./style.ts";
import { cell, table } from "./table.ts";

const ageOf = (view: ClusterView, time: string): string => formatAge(Date.parse(view.time) - Date.parse(time));

export function conditionTable(view: ClusterView, style: Style): string[] {
  if (view.conditions.length === 0) return [];
  const paint = ({ type, status }: ConditionView) => {
    if (status === "Unknown") return style.warning;
    // The one condition that is good if it is not so.
    return (status === "True") === (type !== conditionTypes.rolloutStopped) ? style.good : style.error;
  };
  return table(
    ["TYPE", "STATUS", "SINCE", "MESSAGE"],
    view.conditions.map((condition) => [
      cell(condition.type),
      cell(condition.status, paint(condition)),
      cell(ageOf(view, condition.since)),
      cell(condition.message),
    ]),
  );
}

export function rolloutLines({ rollout }: ClusterView, style: Style): string[] {
  if (!rollout || rollout.state === "missing" || rollout.total === 0) return [];
  const { state, partition, updated, total, reason, forced } = rollout;
  const word = { complete: style.good, rolling: style.warning, stopped: style.error }[state](state);
  const progress = `${updated} of ${total} Pods are of the newest template`;
  const lines = [`  ${word}: ${progress}${state === "complete" ? "" : `, partition ${partition}`}`];
  if (reason) lines.push(`  ${reason}`);
  if (forced) lines.push(style.warning("  forced: Pods are replaced whatever the cluster's health"));
  return lines;
}

export function volumeTable({ volumes }: ClusterView, style: Style): string[] {
  if (!volumes?.length) return [];
  return table(
    ["CLAIM", "STATUS", "REQUEST", "CAPACITY", "CLASS", "CONDITIONS"],
    volumes.map((volume) => [
      cell(volume.claim),
      cell(volume.phase, volume.phase === "Bound" ? style.good : style.error),
      cell(volume.request ?? "-"),
      cell(volume.capacity ?? "-", volume.growing ? style.warning : undefined),
      cell(volume.storageClass ?? "-"),
      cell(describeConditions(volume), style.warning),
    ]),
  );
}

function describeConditions({ conditions }: VolumeView): string {
  return conditions.map(({ type, message }) => (message ? `${type}: ${message}` : type)).join(", ");
}

export function eventTable(view: ClusterView, style: Style): string[] {
  if (!view.events?.length) return [];
  return table(
    ["AGE", "TYPE", "REASON", "OBJECT", "MESSAGE"],
    view.events.map(({ time, type, reason, object, message, count }) => [
      cell(ageOf(view, time)),
      cell(type, type === "Normal" ? style.faint : style.warning),
      cell(reason),
      cell(object),
      cell((count > 1 ? `${message} (${count} times)` : message).replaceAll("\n", " ")),
    ]),
  );
}
