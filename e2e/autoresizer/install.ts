import { prepareImages } from "@moco-ts/bundle";
import { installChart } from "@moco-ts/helm";
import { buildImages, loadImages, type Cluster } from "@moco-ts/local-kubernetes";

export const systemNamespace = "pvc-autoresizer";
export const labels = { "app.kubernetes.io/name": "pvc-autoresizer" };
const repository = "localhost/moco-ts/pvc-autoresizer";
const tag = "dev";
/** With files for the program. */
const secret = "files";

export interface InstallOptions {
  readonly flags?: readonly string[];
  /** Where statistics come from: the kubelets need rights that Prometheus does not. Default "kubelet". */
  readonly source?: "kubelet" | "prometheus";
  /** Files for the program, at /secrets. Default: none. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Builds and loads the image, and installs the program by its chart: with the rights that users give it. */
export async function installAutoresizer(cluster: Cluster, options: InstallOptions = {}): Promise<void> {
  await prepare(cluster, options.files);
  await installChart("pvc-autoresizer", {
    kubeconfigPath: cluster.kubeconfigPath,
    namespace: systemNamespace,
    values: valuesOf(options),
  });
}

/** All that has to be there before. */
export async function prepare(cluster: Cluster, files?: InstallOptions["files"]): Promise<void> {
  const folder = await prepareImages(`images-${cluster.name}`);
  await buildImages({ folder, names: ["pvc-autoresizer"] });
  await loadImages(cluster.nodes, [`${repository}:${tag}`]);
  const list = { apiVersion: "v1", kind: "List", items: surroundings(files) };
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(list) });
}

function surroundings(files: InstallOptions["files"] = {}): object[] {
  const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: systemNamespace, labels: restricted } },
    { apiVersion: "v1", kind: "Secret", metadata: { name: secret, namespace: systemNamespace }, stringData: files },
  ];
}

/** Of the chart. */
export function valuesOf({ flags = [], source = "kubelet" }: InstallOptions): object {
  return {
    image: { repository, tag, pullPolicy: "Never" },
    controller: {
      args: { useK8sMetricsApi: source === "kubelet", interval: "2s", additionalArgs: flags },
      volumes: [{ name: secret, secret: { secretName: secret } }],
      volumeMounts: [{ name: secret, mountPath: "/secrets", readOnly: true }],
    },
  };
}
