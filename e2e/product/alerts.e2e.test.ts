/** Alerts, as a real Prometheus evaluates them. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { charts } from "@moco-ts/helm";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { providePrometheus } from "../autoresizer/prometheus.ts";

const run = promisify(execFile);
const ruleFiles = [join(charts.moco, "rules/moco.yaml"), join(charts["pvc-autoresizer"], "rules/pvc-autoresizer.yaml")];
let promtool: string;

beforeAll(async () => {
  promtool = join(await providePrometheus(), "promtool");
});

/** Values of series, a minute apart if nobody says otherwise, in promtool's notation: `1x60` is a 1 that stays for an hour. */
type Series = Readonly<Record<string, string>>;

/** Has Prometheus go through a story, and fails unless it comes to what is expected. */
async function play(series: Series, expected: object, interval = "1m"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "alerts-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const input = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  const tests = [{ interval, input_series: input, ...expected }];
  // JSON is YAML.
  const story = JSON.stringify({ rule_files: ruleFiles, evaluation_interval: interval, tests });
  await writeFile(join(folder, "test.yaml"), story);
  return (await run(promtool, ["test", "rules", join(folder, "test.yaml")])).stdout;
}

/** How many alerts of that name fire at that time. */
const firing = (alert: string, at: string, count: number): object => {
  const expr = `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`;
  return { promql_expr_test: [{ expr, eval_time: at, exp_samples: [{ labels: "{}", value: count }] }] };
};

const of = (metric: string): string =>
  `${metric}{pod="moco-controller-1",namespace="moco-system",exported_namespace="shop",name="orders"}`;
/** Three instances that run. */
const running = {
  [of("moco_cluster_replicas")]: "3x2000",
  [of("moco_cluster_current_replicas")]: "3x2000",
  [of("moco_cluster_updated_replicas")]: "3x2000",
};
const offline = {
  [of("moco_cluster_replicas")]: "3x2000",
  [of("moco_cluster_current_replicas")]: "0x2000",
  [of("moco_cluster_updated_replicas")]: "0x2000",
};
const problem = (reason: string): string =>
  `pvcautoresizer_problem{exported_namespace="shop",persistentvolumeclaim="data",reason="${reason}"}`;

test("Prometheus can read all of them", async () => {
  const { stdout } = await run(promtool, ["check", "rules", ...ruleFiles]);
  expect(stdout).toContain("10 rules found");
});

test.each<[string, string, string, number, Series]>([
  ["takes no writes", "MOCOClusterNotAvailable", "5m", 1, { ...running, [of("moco_cluster_available")]: "0x60" }],
  [
    "did not for a moment",
    "MOCOClusterNotAvailable",
    "5m",
    0,
    { ...running, [of("moco_cluster_available")]: "1 0 1x60" },
  ],
  ["is offline", "MOCOClusterNotAvailable", "30m", 0, { ...offline, [of("moco_cluster_available")]: "0x60" }],
  [
    "is stopped",
    "MOCOClusterNotAvailable",
    "30m",
    0,
    { ...running, [of("moco_cluster_available")]: "NaN ".repeat(60) },
  ],
  ["lacks an instance", "MOCOClusterNotHealthy", "20m", 1, { ...running, [of("moco_cluster_healthy")]: "0x60" }],
  ["is offline", "MOCOClusterNotHealthy", "30m", 0, { ...offline, [of("moco_cluster_healthy")]: "0x60" }],
  ["has an errant instance", "MOCOErrantReplica", "10m", 1, { [of("moco_cluster_errant_replicas")]: "1x60" }],
  ["is stopped", "MOCOErrantReplica", "10m", 0, { [of("moco_cluster_errant_replicas")]: "NaN ".repeat(60) }],
  ["fails to be updated", "MOCORolloutStopped", "10m", 1, { [of("moco_cluster_rollout_stopped")]: "1x60" }],
  ["did not start at once", "MOCORolloutStopped", "10m", 0, { [of("moco_cluster_rollout_stopped")]: "1 1 0x60" }],
  ["is half updated", "MOCORolloutStuck", "40m", 1, { ...running, ...updated("1x60", "0x60") }],
  ["was never begun to be updated", "MOCORolloutStuck", "40m", 1, { ...running, ...updated("0x60") }],
  ["goes on being updated", "MOCORolloutStuck", "40m", 0, { ...running, ...updated("1x60", "0+60x60") }],
  ["is updated", "MOCORolloutStuck", "40m", 0, { ...running, ...updated("3x60", "0x60") }],
  ["is offline", "MOCORolloutStuck", "40m", 0, { ...offline, ...updated("0x60", "0x60") }],
  ["can't grow", "MOCOVolumeResizeFailing", "30m", 1, { [of("moco_cluster_volume_resized_errors_total")]: "0+1x60" }],
  ["grew", "MOCOVolumeResizeFailing", "30m", 0, { [of("moco_cluster_volume_resized_errors_total")]: "3x60" }],
  [
    "can't be made anew",
    "MOCOStatefulSetRecreationFailing",
    "30m",
    1,
    { [of("moco_cluster_statefulset_recreate_errors_total")]: "0+1x60" },
  ],
  ["has an old backup", "MOCOBackupTooOld", "3d", 1, { [of("moco_backup_timestamp")]: "0x500" }],
  ["has a backup", "MOCOBackupTooOld", "3d", 0, { [of("moco_backup_timestamp")]: "172800x500" }],
  ["was forgotten", "MOCOStoppedByHand", "26h", 1, { [of("moco_cluster_clustering_stopped")]: "1x200" }],
  ["has no controller", "MOCOControllerDown", "10m", 1, { 'leader_election_master_status{name="moco"}': "0x60" }],
  ["has a controller", "MOCOControllerDown", "10m", 0, { 'leader_election_master_status{name="moco"}': "1x60" }],
  ["has its largest volume", "VolumeLimitReached", "5m", 1, { [problem("LimitReached")]: "1x60" }],
  ["has another problem", "VolumeLimitReached", "5m", 0, { [problem("ResizeFailed")]: "1x60" }],
  ["has a volume that does not grow", "VolumeResizeFailing", "10m", 1, { [problem("ResizeStuck")]: "1x60" }],
  ["has a misspelt limit", "VolumeAnnotationInvalid", "10m", 1, { [problem("InvalidAnnotation")]: "1x60" }],
])("a cluster or claim that %s: %s after %s fires %i times", async (_, alert, at, count, series) => {
  // Who looks at days need not look at every minute.
  const interval = /[hd]$/.test(at) ? "10m" : "1m";
  expect(await play(series, firing(alert, at, count), interval)).toContain("SUCCESS");
});

test.each([
  ["exported_namespace", { namespace: "moco-system", exported_namespace: "shop" }],
  ["namespace", { namespace: "shop" }],
])("the text of an alert names the cluster by %s", async (_, labels) => {
  const all = { ...labels, name: "orders" };
  const list = Object.entries(all).map(([key, value]) => `${key}="${value}"`);
  const exp_annotations = {
    summary: "MySQLCluster shop/orders has 2 errant instances",
    description: await descriptionOf("MOCOErrantReplica"),
    runbook: "docs/alerts.md#mocoerrantreplica",
  };
  const exp_labels = { ...all, severity: "warning" };
  const output = await play(
    { [`moco_cluster_errant_replicas{${list.join(",")}}`]: "2x60" },
    {
      alert_rule_test: [
        { eval_time: "10m", alertname: "MOCOErrantReplica", exp_alerts: [{ exp_labels, exp_annotations }] },
      ],
    },
  );
  expect(output).toContain("SUCCESS");
});

async function descriptionOf(alert: string): Promise<string> {
  const { groups } = parse(await readFile(ruleFiles[0]!, "utf8")) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules).find((rule) => rule.alert === alert)!.annotations.description;
}

interface Rule {
  readonly alert: string;
  readonly annotations: { readonly description: string };
}

/** Instances of the newest revision, and when there was a step. */
function updated(replicas: string, lastStep?: string): Series {
  return {
    [of("moco_cluster_updated_replicas")]: replicas,
    ...(lastStep !== undefined && { [of("moco_cluster_last_partition_updated")]: lastStep }),
  };
}
