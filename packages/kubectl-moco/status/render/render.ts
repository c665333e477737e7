import type { ClusterState } from "@moco-ts/api";
import type { ClusterView, Finding } from "@moco-ts/view";
import { formatAge } from "./age.ts";
import { instanceTable } from "./instances.ts";
import { conditionTable, eventTable, rolloutLines, volumeTable } from "./sections.ts";
import type { Style } from "./style.ts";

/** The picture of a cluster for people, with a line break at its end. */
export function renderView(view: ClusterView, style: Style): string {
  const sections = [
    header(view, style),
    findings(view, style),
    titled("INSTANCES", instanceTable(view, style), style),
    titled("CONDITIONS", conditionTable(view, style), style),
    titled("ROLLOUT", rolloutLines(view, style), style),
    titled("VOLUMES", volumeTable(view, style), style),
    titled("LAST EVENTS", eventTable(view, style), style),
    view.problems.map((problem) => style.warning(problem)),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function titled(title: string, lines: readonly string[], style: Style): string[] {
  return lines.length === 0 ? [] : [style.heading(title), ...lines];
}

const moods: Record<ClusterState, "good" | "warning" | "error" | "faint"> = {
  Healthy: "good",
  Degraded: "warning",
  Incomplete: "warning",
  Cloning: "warning",
  Restoring: "warning",
  Failed: "error",
  Lost: "error",
  Offline: "faint",
};

function header(view: ClusterView, style: Style): string[] {
  const { namespace, name, state, primary, readyReplicas, replicas, acknowledgements, backup } = view;
  const mood = state ? style[moods[state]](state) : style.warning("Unknown");
  const facts: string[] = [];
  if (!view.offline && readyReplicas !== undefined) facts.push(`${readyReplicas} of ${replicas} instances are Ready`);
  if (primary !== undefined) facts.push(`the primary is ${primary}`);
  if (acknowledgements)
    facts.push(`acknowledgements ${acknowledgements.required} of ${acknowledgements.voters} voters`);
  if (view.replicationSource) facts.push(`replicates from outside (Secret ${view.replicationSource})`);
  if (backup) facts.push(`last backup ${formatAge(Date.parse(view.time) - Date.parse(backup.time))} ago`);
  return [`${style.heading(`MySQLCluster ${namespace}/${name}`)}  ${mood}`, facts.join(", ")];
}

const marks = { error: "✗", warning: "!", note: "·" } as const;

function findings(view: ClusterView, style: Style): string[] {
  const paints = { error: style.error, warning: style.warning, note: style.faint };
  return view.findings.flatMap(({ level, instance, text, advice }: Finding) => [
    paints[level](`${marks[level]} ${instance === undefined ? "" : `instance ${instance}: `}${text}`),
    ...(advice ? [`  ${advice}`] : []),
  ]);
}
