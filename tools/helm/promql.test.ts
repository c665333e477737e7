import { expect, test } from "vitest";
import { metricsOf } from "./promql.ts";

test.each([
  ["moco_cluster_available == 0", ["moco_cluster_available"]],
  ["time() - moco_backup_timestamp > 2 * 86400", ["moco_backup_timestamp"]],
  ['absent(up{job=~"moco|other", name="up_down"} == 1)', ["up"]],
  ["(a < b and c > 0) unless (time() - d < 900)", ["a", "b", "c", "d"]],
  ["histogram_quantile(0.99, sum by (le) (rate(seconds_bucket[$__rate_interval])))", ["seconds_bucket"]],
  ['count(x{a=~"$y"} == 1) or vector(0)', ["x"]],
  ["memory and on (pod) status", ["memory", "status"]],
])("%s reads %j", (expression, metrics) => {
  expect(metricsOf(expression)).toEqual(metrics);
});
