import { cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDocument, type Document } from "yaml";
import { charts, type ChartName } from "../charts.ts";

/**
 * A chart as it might have been: version 0.0.1, before it had a budget for disruptions and before clusters were shown in
 * columns. Returns its folder, which is the caller's to remove.
 */
export async function olderChart(name: ChartName): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `older-${name}-`));
  await cp(charts[name], folder, { recursive: true });
  await edit(join(folder, "Chart.yaml"), (chart) => chart.set("version", "0.0.1"));
  await writeFile(join(folder, "templates/pod-disruption-budget.yaml"), "");
  if (name === "moco") {
    const definition = join(folder, "generated/crds/mysqlclusters.moco.cybozu.com.yaml");
    await edit(definition, (object) => object.deleteIn(["spec", "versions", 0, "additionalPrinterColumns"]));
  }
  return folder;
}

async function edit(path: string, change: (document: Document) => void): Promise<void> {
  const document = parseDocument(await readFile(path, "utf8"));
  change(document);
  await writeFile(path, document.toString());
}
