/** Alerts and dashboards ask for nothing that our programs don't tell. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Metrics, silentLogger, systemClock } from "@moco-ts/base";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createAgentMetrics } from "../../packages/agent/metrics.ts";
import { readConfig as readAutoresizerConfig } from "../../packages/autoresizer/config.ts";
import { createAutoresizer } from "../../packages/autoresizer/wire.ts";
import { readConfig as readOperatorConfig } from "../../packages/operator/config.ts";
import { createOperator } from "../../packages/operator/wire.ts";
import { charts, type ChartName } from "./charts.ts";
import { metricsOf } from "./promql.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string };
}

interface Dashboard {
  readonly uid: string;
  readonly templating: { readonly list: readonly { readonly definition?: string }[] };
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

/** Whole programs, which are not started: who makes a family registers it. */
const surroundings = () => ({
  cluster: { server: "https://127.0.0.1:1", credentials: {}, namespace: "system" },
  logger: silentLogger,
  metrics: new Metrics(),
  clock: systemClock,
});

async function told(): Promise<Record<ChartName, Set<string>>> {
  const operator = surroundings();
  createOperator(readOperatorConfig([], { POD_NAMESPACE: "moco-system" }), operator);
  createAgentMetrics(operator.metrics, "test", 0);
  const autoresizer = surroundings();
  createAutoresizer(readAutoresizerConfig(["--use-k8s-metrics-api"], { POD_NAMESPACE: "system" }), autoresizer);
  return { moco: await familiesOf(operator.metrics), "pvc-autoresizer": await familiesOf(autoresizer.metrics) };
}

async function familiesOf(metrics: Metrics): Promise<Set<string>> {
  metrics.addProcessMetrics();
  const families = [...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    families.flatMap(([, name, type]) =>
      type === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => name + suffix) : [name!],
    ),
  );
}

/** What the kubelets tell, and every Kubernetes has. */
const others = new Set(["available_bytes", "capacity_bytes"].map((name) => `kubelet_volume_stats_${name}`));

const files = (chart: ChartName, pattern: string): string[] => globSync(join(charts[chart], pattern));
const rulesOf = (chart: ChartName): Rule[] =>
  files(chart, "rules/*.yaml").flatMap((file) =>
    (parse(readFileSync(file, "utf8")) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules),
  );
const dashboardsOf = (chart: ChartName): Dashboard[] =>
  files(chart, "dashboards/*.json").map((file) => JSON.parse(readFileSync(file, "utf8")) as Dashboard);

const names = Object.keys(charts) as ChartName[];

test.each(names)("every metric in alerts of %s is told by our programs", async (chart) => {
  const known = (await told())[chart];
  expect(rulesOf(chart).length).toBeGreaterThan(0);
  for (const { alert, expr } of rulesOf(chart)) {
    const metrics = metricsOf(expr);
    expect(metrics, `${alert} reads something`).not.toEqual([]);
    expect(
      metrics.filter((name) => !known.has(name)),
      alert,
    ).toEqual([]);
  }
});

test.each(names)("every metric in dashboards of %s is told by our programs, or by kubelets", async (chart) => {
  const known = (await told())[chart];
  expect(dashboardsOf(chart).length).toBeGreaterThan(0);
  for (const { uid, panels, templating } of dashboardsOf(chart)) {
    const definitions = templating.list.flatMap(
      ({ definition }) => /^label_values\((.*),/.exec(definition ?? "")?.[1] ?? [],
    );
    expect(definitions, `${uid} can be narrowed down`).not.toEqual([]);
    const expressions = [...definitions, ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))];
    const unknown = expressions.flatMap(metricsOf).filter((name) => !known.has(name) && !others.has(name));
    expect(unknown, uid).toEqual([]);
  }
});

test.each(names)("alerts of %s say what it is, what to do, and how urgent it is", (chart) => {
  for (const { alert, for: duration, labels, annotations } of rulesOf(chart)) {
    expect({ alert, duration }).toMatchObject({ duration: expect.stringMatching(/^\d+[mhd]$/) });
    expect(labels.severity, alert).toMatch(/^(critical|warning|info)$/);
    expect(annotations, alert).toMatchObject({ summary: expect.any(String), description: expect.any(String) });
    expect(annotations.runbook).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
  }
});

test("there is an alert for all that a person has to look at", () => {
  expect(names.flatMap(rulesOf).map(({ alert }) => alert)).toEqual([
    "MOCOClusterNotAvailable",
    "MOCOClusterNotHealthy",
    "MOCOErrantReplica",
    "MOCORolloutStopped",
    "MOCORolloutStuck",
    "MOCOVolumeResizeFailing",
    "MOCOStatefulSetRecreationFailing",
    "MOCOBackupTooOld",
    "MOCOStoppedByHand",
    "MOCOControllerDown",
    "VolumeLimitReached",
    "VolumeResizeFailing",
    "VolumeAnnotationInvalid",
    "VolumeStatisticsMissing",
    "PVCAutoresizerDown",
  ]);
});
