import { statistics, UsageCollector, type Statistic, type VolumeUsage } from "./usage.ts";

const prefix = "kubelet_volume_stats_";
const byName: ReadonlyMap<string, Statistic> = new Map(
  Object.entries(statistics).map(([statistic, name]) => [name, statistic as Statistic]),
);
const sample = /^\{(.*)\} +(\S+)/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/**
 * The volumes in a kubelet's metrics, which are Prometheus' text format. All but a few lines of it are about something
 * else, so that lines are searched for and not split.
 */
export function readExposition(text: string): Map<string, VolumeUsage> {
  const volumes = new UsageCollector();
  for (let at = text.indexOf(prefix); at >= 0;) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    // Elsewhere in a line it is part of a comment, or of the value of a label.
    if (at === 0 || text[at - 1] === "\n") takeSample(volumes, text.slice(at, end));
    at = text.indexOf(prefix, end);
  }
  return volumes.complete();
}

function takeSample(volumes: UsageCollector, line: string): void {
  const nameEnd = line.indexOf("{");
  const statistic = byName.get(line.slice(0, nameEnd));
  if (statistic === undefined) return;
  const [, labels = "", value = ""] = sample.exec(line.slice(nameEnd)) ?? [];
  let namespace: string | undefined;
  let claim: string | undefined;
  for (const [, key, text = ""] of labels.matchAll(label)) {
    if (key === "namespace") namespace = text;
    else if (key === "persistentvolumeclaim") claim = text;
  }
  if (namespace && claim) volumes.add(statistic, namespace, claim, Number(value));
}
