/**
 * The autoresizer with many volumes that have enough room, which is what a round sees most of the time. The peer is
 * pvc-autoresizer 0.21 with a Prometheus, measured in the same way on a machine of the same size; its figures are fixed
 * here.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "@moco-ts/bundle";
import { connect, loadKubeconfig, Namespaces, type Client } from "@moco-ts/kube";
import { startControlPlane } from "@moco-ts/local-kubernetes";
import { provideCertificate, reviewTimes } from "./autoresizer/admission.ts";
import { createClaim, createClaims, createNodes, createStorageClass, inParallel } from "./autoresizer/objects.ts";
import { AutoresizerProcess, type RoundFigures } from "./autoresizer/process.ts";
import { Kubelets, PrometheusAnswers } from "./autoresizer/statistics.ts";

export const autoresizerDefaults = { objects: 10_000, rounds: 10 };
type Options = typeof autoresizerDefaults;

const nodes = 200;
const reviews = 200;
const metricsPort = 18_081;
const shortInterval = "--interval=500ms";
/** Of pvc-autoresizer with a Prometheus, with 1,000 and 10,000 volumes. */
const peer = { time: [40, 300], resident: [60, 206] } as const;

export async function benchAutoresizer({ objects, rounds }: Options): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "moco-ts-bench-"));
  const kubelets = await Kubelets.start(nodes);
  const prometheus = await PrometheusAnswers.start();
  const authority = join(directory, "kubelets.crt");
  await writeFile(authority, kubelets.authority);
  const controlPlane = await startControlPlane({
    name: "bench-autoresizer",
    apiServerFlags: { "kubelet-certificate-authority": authority },
  });
  const { kubeconfigPath } = controlPlane;
  const client = connect(await loadKubeconfig({ environment: {}, path: kubeconfigPath }), { qps: Infinity });
  const file = join(directory, "pvc-autoresizer.cjs");
  const run = async <T>(flags: string[], use: (process: AutoresizerProcess) => Promise<T>): Promise<T> => {
    const process = new AutoresizerProcess(file, kubeconfigPath, metricsPort, flags);
    try {
      return await use(process);
    } finally {
      await process.stop();
    }
  };
  try {
    await bundle(join(import.meta.dirname, "../packages/autoresizer/main.ts"), file, { compact: true });
    await createStorageClass(client);
    await createNodes(client, kubelets);
    const sources = {
      Prometheus: [`--prometheus-url=${prometheus.url}`],
      [`${nodes} kubelets`]: ["--use-k8s-metrics-api"],
    };
    const figures = new Map<string, RoundFigures[]>();
    for (const [from, to] of [[0, objects / 10] as const, [objects / 10, objects] as const]) {
      const volumes = await createClaims(client, from, to);
      kubelets.serve(volumes);
      prometheus.serve(volumes);
      for (const [name, flags] of Object.entries(sources)) {
        const measured = await run([shortInterval, "--pvc-mutating-webhook-enabled=false", ...flags], (each) =>
          each.measure(rounds),
        );
        figures.set(name, [...(figures.get(name) ?? []), measured]);
      }
    }
    for (const [name, [small, large]] of figures) print(name, objects, small!, large!);

    // With rounds as rare as they are by default: what they take is measured above.
    const { flags, authority: webhookAuthority } = await provideCertificate(directory);
    await benchAdmission(client, webhookAuthority, (use) =>
      run([...flags, ...sources["Prometheus"]], async (process) => {
        await process.ready();
        await use();
      }),
    );
  } finally {
    await client.close();
    await controlPlane.stop();
    kubelets.stop();
    prometheus.stop();
    await rm(directory, { recursive: true });
  }
}

async function benchAdmission(
  client: Client,
  authority: string,
  serve: (use: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const namespace = "admission";
  await client.create(Namespaces, { metadata: { name: namespace } });
  await inParallel(Array.from({ length: 1000 }), async (_, index) => {
    await createClaim(client, { namespace, name: `data-${index}` }, { group: index < 3 ? "small" : "large" });
  });
  await serve(async () => {
    console.log("the webhook for a new claim, with 1000 claims in its namespace");
    for (const [group, size] of [
      ["small", 3],
      ["large", 997],
    ] as const) {
      await reviewTimes(20, authority, { namespace, labels: { group } });
      const times = await reviewTimes(reviews, authority, { namespace, labels: { group } });
      const percentile = (share: number): string => times[Math.floor(times.length * share)]!.toFixed(1);
      console.log(`  ${`a group of ${size}`.padEnd(28)} median ${percentile(0.5)} ms, 99th ${percentile(0.99)} ms`);
    }
  });
}

function print(source: string, objects: number, small: RoundFigures, large: RoundFigures): void {
  const isComparable = source === "Prometheus" && objects === autoresizerDefaults.objects;
  console.log(`a round with ${source}: ${objects / 10} volumes, ${objects} volumes, growth`);
  const row = (what: keyof RoundFigures, unit: string, theirs?: readonly [number, number]): void => {
    const [one, other] = [small[what], large[what]];
    const compared =
      theirs && isComparable
        ? `; ${(one / theirs[0]).toFixed(2)} and ${(other / theirs[1]).toFixed(2)} of pvc-autoresizer's ${theirs.join(" and ")}`
        : "";
    const numbers = `${one.toFixed(1)}, ${other.toFixed(1)} ${unit}`.padEnd(24);
    console.log(`  ${what.padEnd(10)} ${numbers} times ${one > 0 ? (other / one).toFixed(1) : "-"}${compared}`);
  };
  row("time", "ms", peer.time);
  row("cpu", "ms");
  row("requests", "");
  row("resident", "MB", peer.resident);
}
