import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Metrics } from "@moco-ts/base";
import { expect, test } from "vitest";
import { createAgentMetrics } from "../../packages/agent/metrics.ts";
import { AutoresizerMetrics } from "../../packages/autoresizer/metrics.ts";
import { createClusterMetrics } from "../../packages/operator/metrics.ts";
import { readPage, root } from "./pages.ts";

/** Names and types of all that our programs register. */
async function registered(): Promise<Map<string, string>> {
  const metrics = new Metrics();
  createClusterMetrics(metrics);
  createAgentMetrics(metrics, "test", 0);
  const autoresizer = new AutoresizerMetrics(metrics);
  autoresizer.appear("default/data");
  const text = await metrics.text();
  const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!] as const);
  return new Map([...families, ...ofRuntime()]);
}

/** Those of the controller runtime, by their names in the code: they come up with what they are about. */
function ofRuntime(): [string, string][] {
  const paths = globSync("packages/kube/**/*.ts", { cwd: root }).filter((path) => !/\.test\.ts$|testing\//.test(path));
  return paths.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const made = [...text.matchAll(/\.(counter|gauge|histogram)\(\s*"([a-z]\w+)"/g)];
    return made.map(([, type, name]): [string, string] => [name!, type!]);
  });
}

/** The rows of the page's tables whose first cell is a metric, and second its type. */
function documented(): Map<string, string> {
  const { prose } = readPage("docs/metrics-and-alerts.md");
  const rows = [...prose.matchAll(/^\| `([a-z]\w+)` +\| (counter|gauge|histogram|summary) +\|/gm)];
  return new Map(rows.map(([, name, type]) => [name!, type!]));
}

test("every metric is explained, with its type, and no other", async () => {
  expect(documented()).toEqual(await registered());
});

test("metrics that other pages name exist", async () => {
  const known = new Set((await registered()).keys());
  const named = globSync("docs/*.md", { cwd: root }).flatMap((path) => [
    ...readPage(path).prose.matchAll(/`((?:moco|pvcautoresizer)_[a-z_]+)(?:\{|`)/g),
  ]);
  expect(named.map(([, name]) => name!).filter((name) => !known.has(name))).toEqual([]);
});
