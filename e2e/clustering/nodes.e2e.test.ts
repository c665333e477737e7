/** Three nodes with an instance each. What happens to the primary's node: a drain, a cut cable, a power failure. */
import { labelKeys } from "@moco-ts/api";
import type { Pod } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  manifest,
  mysqldContainer,
  patience,
  podsOf,
  primaryPod,
  slowness,
  startOperatorCluster,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { eventsOf, waitForVoters } from "./looks.ts";

const name = "spread";
const unhurried = { timeout: 900_000 };
let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "nodes", nodes: 3 });
  const term = {
    labelSelector: { matchLabels: { [labelKeys.instance]: name } },
    topologyKey: "kubernetes.io/hostname",
  };
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  const podTemplate = { spec: { affinity: { podAntiAffinity }, containers: [mysqldContainer()] } };
  const annotations = { "moco.cybozu.com/auto-reclone-errant": "true" };
  await operator.apply(manifest({ name, replicas: 3, annotations, spec: { podTemplate } }));
  await waitForCondition(operator, name, "Healthy");
});
afterAll(() => operator?.down());

async function nodeOf(pod: string): Promise<string> {
  return (await operator.get<Pod>("pod", pod)).spec!.nodeName!;
}

/** The primary's, and one where a client can live through whatever happens to that. */
async function places() {
  const primary = await primaryPod(operator, name);
  const lost = await nodeOf(primary);
  const other = operator.local.nodes.find((node) => node.name !== lost)!.name;
  return { primary, lost, other, node: operator.local.nodes.find((node) => node.name === lost)! };
}

async function expectNewPrimary(before: string): Promise<void> {
  await expect.poll(() => primaryPod(operator, name), { ...patience, interval: 200 }).not.toBe(before);
}

test("each instance has a node of its own", async () => {
  const nodes = (await podsOf(operator, name)).map(({ spec }) => spec!.nodeName);
  expect(new Set(nodes).size).toBe(3);
});

test("a drain of the primary's node hands over, and nothing is lost", unhurried, async () => {
  const { primary, lost, other } = await places();
  const writer = await Writer.start(operator, name, other);
  const since = Date.now();
  await operator.kubectl("drain", lost, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=120s");
  await expectNewPrimary(primary);
  expect(await writer.longestPause(since)).toBeLessThan(30_000 * slowness);
  await operator.kubectl("uncordon", lost);
  await waitForVoters(operator, name, 3);
  expect((await writer.stop()).lost).toEqual([]);
});

test("a node that is cut off from all others loses the primary, and what it had comes back", unhurried, async () => {
  const { primary, lost, other } = await places();
  const writer = await Writer.start(operator, name, other);
  const since = Date.now();
  for (const { name: node } of operator.local.nodes) {
    if (node !== lost) await operator.local.faults.cut({ node: lost }, { node });
  }
  await operator.local.faults.cut({ node: lost }, "api-server");
  await operator.local.faults.cut({ node: lost }, "dns");
  await expectNewPrimary(primary);
  await writer.writesAgain(since + 1_000);
  await operator.local.faults.heal();
  await waitForVoters(operator, name, 3);
  expect((await writer.stop()).lost).toEqual([]);
});

test("a node that loses its power loses the primary, and brings back a replica", unhurried, async () => {
  const { primary, node, other } = await places();
  const writer = await Writer.start(operator, name, other);
  const since = Date.now();
  await node.powerOff();
  await expectNewPrimary(primary);
  await writer.writesAgain(since + 1_000);
  await node.powerOn();
  await waitForVoters(operator, name, 3);
  expect((await writer.stop()).lost).toEqual([]);
  const evidence = expect.stringMatching(/does not answer .*none of \d other instances hears it/) as string;
  expect(await eventsOf(operator, name, "FailOverEvidence")).toContainEqual(evidence);
});
