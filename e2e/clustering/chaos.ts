/**
 * Faults without end, one after the other, while clients write; then what they were told is compared with what is there.
 *
 *   make chaos ROUNDS=100 [SEED=1]
 */
import { parseArgs } from "node:util";
import {
  cutFromOperator,
  distribution,
  faults,
  manifest,
  startOperatorCluster,
  strike,
  waitForCondition,
  Writer,
} from "../testing/index.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    /** Only this kind of fault. */
    fault: { type: "string" },
    help: { type: "boolean" },
  },
});
if (values.help) {
  process.stdout.write("chaos [--rounds 20] [--seed 1] [--fault NAME]\n");
  process.exit(0);
}

const name = "chaos";
const all = [...faults, cutFromOperator];
const kinds = values.fault === undefined ? all : all.filter((each) => each.name === values.fault);
if (kinds.length === 0) throw new Error(`no such fault: one of ${all.map((each) => each.name).join(", ")}`);

// Numbers that follow from the seed alone: Lehmer's generator.
let state = (Number(values.seed) % 2_147_483_646) + 1;
function random(limit: number): number {
  state = (state * 48_271) % 2_147_483_647;
  return state % limit;
}

const operator = await startOperatorCluster({ name: "chaos" });
const times = new Map<string, number[]>();
let failed = false;
try {
  const annotations = { "moco.cybozu.com/auto-reclone-errant": "true" };
  await operator.apply(manifest({ name, replicas: 3, annotations }));
  await waitForCondition(operator, name, "Healthy");
  const writer = await Writer.start(operator, name);
  for (let round = 1; round <= Number(values.rounds); round++) {
    const fault = kinds[random(kinds.length)]!;
    // At any moment of whatever has a period.
    await new Promise((resolve) => setTimeout(resolve, 1_000 + random(2_000)));
    const { pod, pause } = await strike(operator, name, writer, fault);
    times.set(fault.name, [...(times.get(fault.name) ?? []), pause]);
    process.stdout.write(`${round}: ${fault.name} of ${pod}: ${pause} ms without a write\n`);
  }
  const ledger = await writer.stop();
  process.stdout.write(
    `\n${ledger.acknowledged} rows acknowledged, ${ledger.refused} not, ${ledger.lost.length} lost\n`,
  );
  failed = ledger.lost.length > 0;
  for (const [kind, pauses] of times) {
    const { median, p95, most } = distribution(pauses);
    process.stdout.write(
      `${kind}: ${pauses.length} times, without a write for ${median} ms (median), ${p95} (p95), ${most}\n`,
    );
  }
} finally {
  await operator.down();
}
process.exit(failed ? 1 : 0);
