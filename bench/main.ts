/** `make bench`: measures against peers and prints ratios, which hold on any machine where absolute numbers don't. */
import { parseArgs } from "node:util";
import { autoresizerDefaults, benchAutoresizer } from "./autoresizer.ts";
import { benchClustering, clusteringDefaults } from "./clustering.ts";
import { benchInformer, informerDefaults } from "./informer.ts";
import { benchOperator, operatorDefaults } from "./operator.ts";
import { benchRollout, rolloutDefaults } from "./rollout.ts";

const benchmarks: Readonly<Record<string, { about: string; run(options: Record<string, number>): Promise<void> }>> = {
  informer: {
    about: "cache and watch against @kubernetes/client-node's informer",
    run: (options) => benchInformer({ ...informerDefaults, ...options }),
  },
  operator: {
    about: "the controller with many clusters, against MOCO",
    run: (options) => benchOperator({ ...operatorDefaults, ...options }),
  },
  autoresizer: {
    about: "rounds over many volumes and admission of claims, against pvc-autoresizer",
    run: (options) => benchAutoresizer({ ...autoresizerDefaults, ...options }),
  },
  clustering: {
    about: "failures of a primary under load on a real node, and an idle cluster, against MOCO",
    run: (options) => benchClustering({ ...clusteringDefaults, ...options }),
  },
  rollout: {
    about: "a rolling update under load on a real node, against MOCO",
    run: (options) => benchRollout({ ...rolloutDefaults, ...options }),
  },
};

const help = `usage: node bench/main.ts [name...] [--objects N] [--events N] [--foreign N] [--rounds N] [--clusters N]

${Object.entries(benchmarks)
  .map(([name, { about }]) => `  ${name.padEnd(12)}${about}`)
  .join("\n")}

Without a name all of them run.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h" },
    objects: { type: "string" },
    events: { type: "string" },
    foreign: { type: "string" },
    rounds: { type: "string" },
    clusters: { type: "string" },
  },
});
const unknown = positionals.filter((name) => !(name in benchmarks));
if (values.help || unknown.length > 0) {
  console.log(help);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else {
  const { help: _help, ...given } = values;
  const options = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value)]));
  for (const name of positionals.length > 0 ? positionals : Object.keys(benchmarks))
    await benchmarks[name]!.run(options);
}
