/** `make release`: what it makes is whole, and a cluster can be run with nothing else. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { helm, installChart, type ChartName } from "@moco-ts/helm";
import { buildImages, down, loadImages, up } from "@moco-ts/local-kubernetes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { images, manifest, systemNamespace, waitForCondition } from "../testing/index.ts";
import { OperatorCluster } from "../testing/operator-cluster.ts";

const name = "product-release";
const version = "7.8.9";
const root = join(import.meta.dirname, "../..");
const programs = ["moco-agent", "moco-controller", "pvc-autoresizer"];
const charts: readonly ChartName[] = ["moco", "pvc-autoresizer"];
const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "release-test-"));
  await release(folder, "--draft");
});

afterAll(async () => {
  await rm(folder, { recursive: true });
  await down(name, { report: () => {} });
});

async function release(target: string, ...flags: string[]): Promise<void> {
  await run(process.execPath, [join(root, "tools/release/main.ts"), "--folder", target, ...flags, version]);
}

const read = (file: string): Promise<string> => readFile(join(folder, file), "utf8");

test("it consists of charts, images, the plugin, what is in them, notes and a licence", async () => {
  expect((await readdir(folder)).sort()).toEqual([
    "LICENSE",
    "NOTES.md",
    "SHA256SUMS",
    "kubectl-moco",
    "kubectl-moco.cdx.json",
    `moco-${version}.tgz`,
    `moco-agent-${version}.oci.tar`,
    "moco-agent.cdx.json",
    `moco-controller-${version}.oci.tar`,
    "moco-controller.cdx.json",
    `pvc-autoresizer-${version}.oci.tar`,
    `pvc-autoresizer-${version}.tgz`,
    "pvc-autoresizer.cdx.json",
  ]);
});

test("every file has its checksum, and the same sources give the same files", async () => {
  const { stdout } = await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: folder });
  const sound = stdout.trim().split("\n");
  const others = (await readdir(folder)).filter((file) => file !== "SHA256SUMS");
  expect(sound.sort()).toEqual(others.map((file) => `${file}: OK`).sort());

  const again = await mkdtemp(join(tmpdir(), "release-test-"));
  await release(again, "--draft");
  const sums = await readFile(join(again, "SHA256SUMS"), "utf8");
  await rm(again, { recursive: true });
  expect(sums).toBe(await read("SHA256SUMS"));
});

test("its notes are the newest entry of the changelog", async () => {
  const [, newest = ""] = (await readFile(join(root, "CHANGELOG.md"), "utf8")).split(/^## .*$/m);
  expect((await read("NOTES.md")).trim()).toBe(newest.trim());
});

test("a version that nobody has announced is refused, and nothing is lost", async () => {
  await expect(release(folder)).rejects.toThrow(/package.json says .*, and not 7.8.9/);
  expect(await readdir(folder)).toContain("SHA256SUMS");
});

test.each(charts)("the chart %s is of that version, and asks for images of it", async (chart) => {
  const archive = join(folder, `${chart}-${version}.tgz`);
  expect(parse(await helm(["show", "chart", archive]))).toMatchObject({ name: chart, version, appVersion: version });
  const program = chart === "moco" ? "moco-controller" : chart;
  expect(await helm(["template", archive])).toContain(`image: "localhost/moco-ts/${program}:${version}"`);
});

interface Descriptor {
  readonly digest: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

test.each(programs)("the image %s says what it is, and runs as nobody special", async (program) => {
  const archive = join(folder, `${program}-${version}.oci.tar`);
  const member = async <T>(path: string): Promise<T> =>
    JSON.parse((await run("tar", ["--extract", "--to-stdout", "--file", archive, path])).stdout) as T;
  const blob = <T>({ digest }: Descriptor): Promise<T> => member(`blobs/${digest.replace(":", "/")}`);
  const { manifests } = await member<{ manifests: Descriptor[] }>("index.json");
  expect(manifests).toHaveLength(1);
  const reference = `localhost/moco-ts/${program}:${version}`;
  expect(manifests[0]!.annotations).toEqual({ "org.opencontainers.image.ref.name": reference });
  const { config } = await blob<{ config: Descriptor }>(manifests[0]!);
  expect(await blob(config)).toMatchObject({
    config: {
      User: "10000:10000",
      Labels: {
        "org.opencontainers.image.title": program,
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.description": expect.stringMatching(/\w/),
      },
    },
  });
});

test.each([...programs, "kubectl-moco"])("of %s it is said what it is made of", async (program) => {
  const { bomFormat, metadata, components } = JSON.parse(await read(`${program}.cdx.json`)) as {
    bomFormat: string;
    metadata: { component: object };
    components: { purl: string }[];
  };
  expect(bomFormat).toBe("CycloneDX");
  expect(metadata.component).toMatchObject({ name: program, version });
  const kinds = new Set(components.map(({ purl }) => purl.replace(/\/.*/, "")));
  expect([...kinds].sort()).toEqual(program === "kubectl-moco" ? ["pkg:npm"] : ["pkg:deb", "pkg:npm"]);
});

test("whoever has nothing else can run a cluster with it", async () => {
  const cluster = new OperatorCluster(await up({ name }));
  const [node] = cluster.local.nodes;
  for (const program of programs) {
    const archive = join(folder, `${program}-${version}.oci.tar`);
    await run("ctr", ["--address", node!.containerdSocket, "--namespace", "k8s.io", "images", "import", archive]);
  }
  const { kubeconfigPath } = cluster.local;
  await installChart("moco", {
    kubeconfigPath,
    namespace: systemNamespace,
    chart: join(folder, `moco-${version}.tgz`),
  });
  await installChart("pvc-autoresizer", {
    kubeconfigPath,
    namespace: "pvc-autoresizer",
    chart: join(folder, `pvc-autoresizer-${version}.tgz`),
  });

  const size = ["sh", "-c", "du --summarize --one-file-system --block-size=1 / 2>/dev/null || true"];
  const [bytes] = (
    await cluster.kubectl("exec", "-n", systemNamespace, "deployment/moco-controller", "--", ...size)
  ).split(/\s/);
  expect(Number(bytes)).toBeGreaterThan(50_000_000);
  expect(Number(bytes)).toBeLessThan(200_000_000);

  // Of mysqld, which is none of ours.
  await buildImages({ names: ["mysql"] });
  await loadImages(cluster.local.nodes, [images.mysql]);
  await cluster.apply(manifest({ name: "test", spec: { disableSlowQueryLogContainer: true } }));
  await waitForCondition(cluster, "test", "Healthy");
  const plugin = async (...args: string[]): Promise<string> => {
    const env = { PATH: dirname(process.execPath), KUBECONFIG: kubeconfigPath };
    return (await run(join(folder, "kubectl-moco"), args, { env })).stdout;
  };
  expect(await plugin("--help")).toContain("Usage: kubectl moco");
  expect(await plugin("status", "test")).toMatch(/MySQLCluster default\/test +Healthy/);
});
