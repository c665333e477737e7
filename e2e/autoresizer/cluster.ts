import { connect, loadKubeconfig, Events, type Client } from "@moco-ts/kube";
import { down, up, type Cluster } from "@moco-ts/local-kubernetes";
import { Storage, type ClaimOptions } from "../ground/storage.ts";
import { assertNothingForbidden } from "../testing/forbidden.ts";
import { installAutoresizer, labels, systemNamespace, type InstallOptions } from "./install.ts";

export const namespace = "default";
/** For `expect.poll`: the kubelets look at volumes every ten seconds. */
export const patience = { timeout: 90_000, interval: 500 };
const prefix = "resize.topolvm.io/";

export interface StartOptions extends InstallOptions {
  /** Of the local cluster: one for each test file. */
  readonly name: string;
  /** Default: 1. */
  readonly nodes?: number;
  /** Done with the nodes before the program is installed. */
  readonly prepare?: (cluster: Cluster) => Promise<Partial<InstallOptions>>;
}

/** Brings up nodes with the autoresizer on them, or nothing if that fails. */
export async function startAutoresizerCluster(options: StartOptions): Promise<AutoresizerCluster> {
  const { name, nodes = 1, prepare = async () => ({}), ...install } = options;
  try {
    const cluster = await up({ name, nodes, auditLog: true });
    await installAutoresizer(cluster, { ...install, ...(await prepare(cluster)) });
    for (const storageClass of ["local-xfs", "local-xfs-offline", "local-xfs-fixed"]) {
      await cluster.kubectl(["annotate", "storageclass", storageClass, `${prefix}enabled=true`]);
    }
    const config = await loadKubeconfig({ environment: {}, path: cluster.kubeconfigPath });
    return new AutoresizerCluster(cluster, connect(config, { qps: Infinity }));
  } catch (error) {
    await down(name);
    throw error;
  }
}

/** Volumes that are managed, as a person with kubectl sees them. */
export class AutoresizerCluster {
  readonly local: Cluster;
  readonly client: Client;
  readonly storage: Storage;

  constructor(local: Cluster, client: Client) {
    this.local = local;
    this.client = client;
    this.storage = new Storage(local, client);
  }

  async kubectl(...args: string[]): Promise<string> {
    return (await this.local.kubectl(args)).trim();
  }

  /** A pod with a claim of the same name. Annotations come without their prefix. */
  createUser({ annotations = {}, ...options }: ClaimOptions & { node?: string }): Promise<void> {
    return this.storage.createUser({ storage: "400Mi", ...options, annotations: annotationsOf(annotations) });
  }

  /** Of a claim that is mounted. */
  fill(name: string, percent: number): Promise<void> {
    return this.local.faults.fillVolume({ claim: { namespace, name } }, { percent });
  }

  fillInodes(name: string, inodePercent: number): Promise<void> {
    return this.local.faults.fillVolume({ claim: { namespace, name } }, { inodePercent });
  }

  async request(name: string): Promise<string | undefined> {
    return (await this.storage.claim(name)).spec?.resources?.requests?.["storage"];
  }

  async annotate(name: string, annotations: Record<string, string>): Promise<void> {
    const texts = Object.entries(annotations).map(([key, value]) => `${prefix}${key}=${value}`);
    await this.kubectl("annotate", "--overwrite", "pvc", name, ...texts);
  }

  /** Of the autoresizer, about a claim: `Warning LimitReached: ...`. */
  async events(name: string): Promise<string[]> {
    const fieldSelector = `involvedObject.kind=PersistentVolumeClaim,involvedObject.name=${name}`;
    const { items } = await this.client.list(Events, { namespace, fieldSelector });
    const own = items.filter(({ reportingComponent }) => reportingComponent === "pvc-autoresizer");
    return own.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  }

  /** The value of a metric of the replica that leads, by the beginning of its line. */
  async metric(beginning: string): Promise<number | undefined> {
    const path = `/api/v1/namespaces/${systemNamespace}/pods/${await this.leader()}:8080/proxy/metrics`;
    const line = (await this.client.raw(path)).body.split("\n").find((each) => each.startsWith(beginning));
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ") + 1));
  }

  problem(name: string, reason: string): Promise<number | undefined> {
    const series = `persistentvolumeclaim="${name}",namespace="${namespace}",reason="${reason}"`;
    return this.metric(`pvcautoresizer_problem{${series}}`);
  }

  /** The name of the pod that leads. */
  async leader(): Promise<string> {
    const path = "jsonpath={.spec.holderIdentity}";
    const holder = await this.kubectl("get", "lease", "-n", systemNamespace, "49e22f61.topolvm.io", "-o", path);
    return holder.split("_")[0]!;
  }

  /** Everything that all replicas have logged since they were started. */
  logs(): Promise<string> {
    return this.kubectl(
      "logs",
      "-n",
      systemNamespace,
      "-l",
      `app.kubernetes.io/name=${labels["app.kubernetes.io/name"]}`,
      "--tail=-1",
    );
  }

  /**
   * Fails if the program asked for anything that it has no right to. With KEEP=1 in the environment the cluster stays, for
   * a look at it.
   */
  async down(): Promise<void> {
    await this.client.close();
    try {
      await assertNothingForbidden(this.local, systemNamespace);
    } finally {
      if (!process.env["KEEP"]) await down(this.local.name);
    }
  }
}

export function annotationsOf(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [prefix + key, value]));
}
