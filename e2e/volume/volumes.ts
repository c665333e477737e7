/** What a person with kubectl sees of a cluster's volumes. */
import { parseBytes } from "@moco-ts/base";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "@moco-ts/kube";
import { metric, podsOf, type OperatorCluster } from "../testing/index.ts";

export interface TemplateOptions {
  /** Default: mysql-data. */
  readonly name?: string;
  readonly storage: string;
  readonly storageClassName?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

export function template({ name = "mysql-data", storage, storageClassName, ...metadata }: TemplateOptions) {
  const resources = { requests: { storage } };
  return { metadata: { name, ...metadata }, spec: { resources, ...(storageClassName && { storageClassName }) } };
}

/** One cluster's. */
export class Volumes {
  readonly #operator: OperatorCluster;
  readonly cluster: string;

  constructor(operator: OperatorCluster, cluster: string) {
    this.#operator = operator;
    this.cluster = cluster;
  }

  async edit(...volumeClaimTemplates: object[]): Promise<void> {
    const patch = JSON.stringify({ spec: { volumeClaimTemplates } });
    await this.#operator.kubectl("patch", "mysqlcluster", this.cluster, "--type=merge", "-p", patch);
  }

  statefulSet(): Promise<StatefulSet> {
    return this.#operator.get<StatefulSet>("statefulset", `moco-${this.cluster}`);
  }

  claims(): Promise<PersistentVolumeClaim[]> {
    const selector = `app.kubernetes.io/instance=${this.cluster}`;
    return this.#operator.list<PersistentVolumeClaim>("persistentvolumeclaims", "-l", selector);
  }

  /** What each claim asks for and what it has, by name. */
  async sizes(): Promise<Record<string, string>> {
    const entries = (await this.claims()).map(({ metadata, spec, status }) => {
      const [request, capacity] = [spec?.resources?.requests, status?.capacity].map((each) => each?.["storage"]);
      return [metadata!.name!.replace(`moco-${this.cluster}-`, ""), `${request} ${capacity}`] as const;
    });
    return Object.fromEntries(entries);
  }

  /** What a restart of a Pod or of a container in it would change. */
  async podIdentities(): Promise<string[]> {
    const identify = ({ metadata, status }: Pod): string => {
      const restarts = (status?.containerStatuses ?? []).map(({ restartCount }) => restartCount).join();
      return `${metadata?.name} ${metadata?.uid} ${metadata?.labels?.["controller-revision-hash"]} ${restarts}`;
    };
    return (await podsOf(this.#operator, this.cluster)).map(identify);
  }

  /** UIDs of the controllers of all Pods. */
  async podOwners(): Promise<(string | undefined)[]> {
    const pods = await podsOf(this.#operator, this.cluster);
    return [...new Set(pods.map(({ metadata }) => metadata?.ownerReferences?.[0]?.uid))];
  }

  /** Gibibytes of the file system that mysqld has its data on, as it sees it. */
  async fileSystem(ordinal: number): Promise<number> {
    const pod = `moco-${this.cluster}-${ordinal}`;
    const output = await this.#operator.exec(pod, "mysqld", "df", "--output=size", "-B1", "/var/lib/mysql");
    return Math.round(Number(BigInt(output.split("\n")[1]!.trim())) / Number(parseBytes("1Gi")));
  }

  counter(name: string): Promise<number> {
    return metric(this.#operator, `moco_cluster_${name}{name="${this.cluster}",namespace="default"}`);
  }

  /** `Warning ExpansionNotAllowed` and the like. */
  async events(): Promise<string[]> {
    const fields = `involvedObject.kind=MySQLCluster,involvedObject.name=${this.cluster}`;
    const path = "jsonpath={range .items[*]}{.type} {.reason}{'\\n'}{end}";
    return (await this.#operator.kubectl("get", "events", "--field-selector", fields, "-o", path)).split("\n");
  }
}
