import type { ClusterView, InstanceView } from "@moco-ts/view";
import { formatAge } from "./age.ts";
import type { Style } from "./style.ts";
import { cell, table, type Cell } from "./table.ts";

const unknown = "?";

export function instanceTable(view: ClusterView, style: Style): string[] {
  if (!view.instances?.length) return [];
  const gap = view.gapsAgainst === "all" ? "GTID GAP*" : "GTID GAP";
  const headings = ["INDEX", "POD", "ROLE", "STATUS", "WRITES", gap, "LAG", "MYSQL", "RESTARTS", "AGE", "NODE"];
  const lines = table(
    headings,
    view.instances.map((instance) => row(view, instance, style)),
  );
  if (view.gapsAgainst !== "all") return lines;
  return [...lines, style.faint("  * The primary can't be asked: counted against all that any instance has received.")];
}

function row(view: ClusterView, instance: InstanceView, style: Style): Cell[] {
  const { mysqld, since } = instance;
  return [
    cell(instance.index),
    cell(instance.pod),
    roleCell(instance, style),
    statusCell(instance, style),
    mysqld.answered ? cell(mysqld.readOnly ? "no" : "yes") : cell(unknown, style.faint),
    gapCell(view, instance, style),
    lagCell(instance, style),
    mysqld.answered ? cell(mysqld.version) : cell(unknown, style.faint),
    cell(instance.restarts, instance.restarts > 0 ? style.warning : undefined),
    cell(since ? formatAge(Date.parse(view.time) - Date.parse(since)) : "-"),
    cell(instance.node ?? "-"),
  ];
}

function roleCell({ isPrimary, role, errant, isErrant }: InstanceView, style: Style): Cell {
  if (errant || isErrant) return cell("errant", style.error);
  if (isPrimary) return cell("primary", style.heading);
  return role ? cell(role) : cell("-", style.warning);
}

function statusCell({ status, ready }: InstanceView, style: Style): Cell {
  if (ready && status === "Running") return cell("Ready", style.good);
  return status === "Running" ? cell("not Ready", style.warning) : cell(status, style.error);
}

function gapCell({ gapsAgainst }: ClusterView, { isPrimary, mysqld, gap, errant }: InstanceView, style: Style): Cell {
  if (!mysqld.answered) return cell(unknown, style.faint);
  if (isPrimary && gapsAgainst === "primary") return cell("-");
  if (gap === undefined) return cell(unknown, style.faint);
  const extra = errant ? ` +${errant.transactions}` : "";
  return cell(`${gap}${extra}`, errant ? style.error : gap > 0 ? style.warning : undefined);
}

function lagCell({ mysqld }: InstanceView, style: Style): Cell {
  if (!mysqld.answered) return cell(unknown, style.faint);
  if (!mysqld.replica) return cell("-");
  const { lag } = mysqld.replica;
  if (lag === undefined) return cell(unknown, style.faint);
  return cell(formatLag(lag), lag >= 1 ? style.warning : undefined);
}

function formatLag(seconds: number): string {
  return seconds < 10 ? `${Number(seconds.toFixed(1))}s` : formatAge(seconds * 1000);
}
