/** A real Prometheus on the host, which pods reach at the cluster's host address. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createAuthority, issueLeaf, loadKubeconfig, type Pem } from "@moco-ts/kube";
import type { Cluster } from "@moco-ts/local-kubernetes";

const run = promisify(execFile);
const port = 19_090;
export const credentials = { username: "autoresizer", password: "pass:word" };
/** bcrypt of the password. */
const passwordHash = "$2b$04$abcdefghijklmnopqrstuu7govE5p0NSk1WUEk5C2Qm3hpPC6VJ66";

export class Prometheus {
  readonly url: string;
  /** What a client needs: ca.crt, tls.crt, tls.key. */
  readonly files: Readonly<Record<string, string>>;
  readonly #program: string;
  readonly #directory: string;
  readonly #address: string;
  #child: ChildProcess | undefined;

  private constructor(program: string, directory: string, address: string, files: Record<string, string>) {
    this.#program = program;
    this.#directory = directory;
    this.#address = address;
    this.url = `https://${address}`;
    this.files = files;
  }

  /** Scrapes the kubelets of all nodes, through the API server, and asks its own clients for certificate and password. */
  static async create(cluster: Cluster): Promise<Prometheus> {
    const program = join(await providePrometheus(), "prometheus");
    const directory = await mkdtemp(join(tmpdir(), "moco-ts-prometheus-"));
    const write = (name: string, text: string): Promise<void> =>
      writeFile(join(directory, name), text, { mode: 0o600 });
    const validity = { now: Date.now(), lifetime: 24 * 3_600_000 };
    const authority = await createAuthority("prometheus-ca", validity);
    const addresses = [cluster.hostAddress];
    const server = await issueLeaf(
      authority,
      { commonName: "prometheus", ipAddresses: addresses, usages: ["server"] },
      validity,
    );
    const client = await issueLeaf(authority, { commonName: "autoresizer", usages: ["client"] }, validity);
    await write("server.crt", server.certificate);
    await write("server.key", server.privateKey);
    await write("clients.crt", authority.certificate);
    await write("web.yml", webConfiguration);

    const { certificateAuthority, credentials } = await loadKubeconfig({
      environment: {},
      path: cluster.kubeconfigPath,
    });
    await write("kubernetes.crt", textOf(certificateAuthority));
    await write("admin.crt", textOf(credentials.clientCertificate?.certificate));
    await write("admin.key", textOf(credentials.clientCertificate?.key));
    await write("prometheus.yml", scrapeConfiguration(cluster));
    const files = { "ca.crt": authority.certificate, "tls.crt": client.certificate, "tls.key": client.privateKey };
    return new Prometheus(program, directory, `${cluster.hostAddress}:${port}`, files);
  }

  async start(): Promise<void> {
    const flags = [
      "--config.file=prometheus.yml",
      "--web.config.file=web.yml",
      `--web.listen-address=${this.#address}`,
      "--storage.tsdb.path=data",
      "--log.level=warn",
    ];
    this.#child = spawn(this.#program, flags, { cwd: this.#directory, stdio: "inherit" });
    await once(this.#child, "spawn");
  }

  async stop(): Promise<void> {
    if (this.#child === undefined || this.#child.exitCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#directory, { recursive: true });
  }
}

const webConfiguration = `tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: clients.crt
basic_auth_users:
  ${credentials.username}: ${passwordHash}
`;

function scrapeConfiguration({ server, nodes }: Cluster): string {
  const jobs = nodes.map(({ name }) => ({
    job_name: name,
    scheme: "https",
    metrics_path: `/api/v1/nodes/${name}/proxy/metrics`,
    tls_config: { ca_file: "kubernetes.crt", cert_file: "admin.crt", key_file: "admin.key" },
    static_configs: [{ targets: [new URL(server).host], labels: { node: name } }],
  }));
  // JSON is YAML.
  return JSON.stringify({ global: { scrape_interval: "2s" }, scrape_configs: jobs });
}

/** The folder of its programs. Debian's package is unpacked and not installed: that would start it. */
export async function providePrometheus(): Promise<string> {
  const cache = process.env["MOCO_TS_CACHE"] ?? join(homedir(), ".cache/moco-ts");
  const programs = join(cache, "prometheus/usr/bin");
  if (existsSync(programs)) return programs;
  await mkdir(cache, { recursive: true });
  const directory = await mkdtemp(join(cache, "prometheus-"));
  try {
    const download = () => run("apt-get", ["download", "prometheus"], { cwd: directory });
    // The lists of packages may never have been fetched, or be too old.
    await download().catch(() => run("apt-get", ["update"]).then(download));
    const [file = ""] = await readdir(directory);
    await run("dpkg-deb", ["-x", file, "files"], { cwd: directory });
    await rename(join(directory, "files"), join(cache, "prometheus"));
  } finally {
    await rm(directory, { recursive: true });
  }
  return programs;
}

function textOf(pem: Pem | undefined): string {
  if (pem === undefined || !("data" in pem)) throw new Error("the kubeconfig has no certificate");
  return pem.data;
}
