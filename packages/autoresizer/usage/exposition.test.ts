import { expect, test } from "vitest";
import { readExposition } from "./exposition.ts";

const text = `# HELP go_goroutines Number of goroutines that currently exist.
# TYPE go_goroutines gauge
go_goroutines 42
# HELP kubelet_volume_stats_available_bytes [ALPHA] Number of available bytes in the volume
# TYPE kubelet_volume_stats_available_bytes gauge
kubelet_volume_stats_available_bytes{namespace="default",persistentvolumeclaim="data"} 5.36870912e+08
kubelet_volume_stats_available_bytes{persistentvolumeclaim="other",namespace="team-a"} 1024 1767225600000
# TYPE kubelet_volume_stats_capacity_bytes gauge
kubelet_volume_stats_capacity_bytes{namespace="default",persistentvolumeclaim="data"} 1.073741824e+10
kubelet_volume_stats_capacity_bytes{persistentvolumeclaim="other",namespace="team-a"} 2048
kubelet_volume_stats_capacity_bytes{namespace="default",persistentvolumeclaim="only-capacity"} 2048
kubelet_volume_stats_inodes{namespace="default",persistentvolumeclaim="data"} 655360
kubelet_volume_stats_inodes_free{namespace="default",persistentvolumeclaim="data"} 655349
kubelet_volume_stats_inodes_used{namespace="default",persistentvolumeclaim="data"} 11
kubelet_volume_stats_health_status_abnormal{namespace="default",persistentvolumeclaim="data"} 0
storage_operation_duration_seconds_count{operation_name="kubelet_volume_stats_available_bytes"} 3
`;

test("volumes are found among a kubelet's metrics, in any order of labels", () => {
  expect(readExposition(text)).toEqual(
    new Map([
      ["default/data", { capacity: 10_737_418_240, available: 536_870_912, inodes: 655_360, inodesFree: 655_349 }],
      ["team-a/other", { capacity: 2048, available: 1024, inodes: undefined, inodesFree: undefined }],
    ]),
  );
});

test("what is incomplete, broken or impossible is left out", () => {
  const volume = (name: string, available: string, capacity: string) =>
    `kubelet_volume_stats_available_bytes{namespace="n",persistentvolumeclaim="${name}"} ${available}\n` +
    `kubelet_volume_stats_capacity_bytes{namespace="n",persistentvolumeclaim="${name}"} ${capacity}\n`;
  const broken = [
    volume("nan", "NaN", "10"),
    volume("infinite", "5", "+Inf"),
    volume("negative", "-1", "10"),
    volume("no-size", "0", "0"),
    volume("text", "much", "10"),
    'kubelet_volume_stats_available_bytes{namespace="n"} 1\n',
    "kubelet_volume_stats_available_bytes 1\n",
    "kubelet_volume_stats_available_bytes{\n",
    volume("good", "1", "10"),
  ];
  expect([...readExposition(broken.join(""))].map(([key]) => key)).toEqual(["n/good"]);
});

test("an empty text, a last line without its end and CRLF are no problem", () => {
  expect([...readExposition("")]).toEqual([]);
  const lines = text.trimEnd().split("\n").slice(0, 8);
  expect([...readExposition(lines.concat(text.split("\n")[8]!).join("\r\n"))].map(([key]) => key)).toEqual([
    "default/data",
  ]);
});

test("fractions are cut off and large numbers keep their size", () => {
  const volume = `kubelet_volume_stats_available_bytes{namespace="n",persistentvolumeclaim="p"} 1.5
kubelet_volume_stats_capacity_bytes{namespace="n",persistentvolumeclaim="p"} 9.223372036854775807e+18`;
  expect([...readExposition(volume)]).toEqual([["n/p", expect.objectContaining({ available: 1, capacity: 2 ** 63 })]]);
});
