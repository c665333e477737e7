import { prepareImages } from "@moco-ts/bundle";
import { installChart } from "@moco-ts/helm";
import { buildImages, loadImages, type Cluster } from "@moco-ts/local-kubernetes";

export const systemNamespace = "moco-system";
export const images = {
  controller: "localhost/moco-ts/moco-controller:dev",
  agent: "localhost/moco-ts/moco-agent:dev",
  mysql: "localhost/moco-ts/mysql:9.7",
  mysqlLoose: "localhost/moco-ts/mysql-loose:9.7",
  exporter: "localhost/moco-ts/mysqld-exporter:dev",
  /** A stand-in: no registry of packages carries the real one. */
  fluentBit: "localhost/moco-ts/fluent-bit:dev",
};

/** Builds and loads the images, and installs the controller by its chart: with the rights that users give it. */
export async function installOperator(cluster: Cluster, flags: readonly string[] = []): Promise<void> {
  await provideImages(cluster);
  await restrict(cluster, systemNamespace);
  await installChart("moco", {
    kubeconfigPath: cluster.kubeconfigPath,
    namespace: systemNamespace,
    values: { ...imageValues, extraArgs: flags },
  });
}

/** Builds the images and loads them onto all nodes. */
export async function provideImages(cluster: Cluster): Promise<void> {
  const folder = await prepareImages(`images-${cluster.name}`);
  const names = Object.values(images).map((reference) => imageOf(reference).repository.split("/").at(-1)!);
  await buildImages({ folder, names });
  await loadImages(cluster.nodes, Object.values(images));
}

/** A namespace for Pods that may do nothing special, and that is held to it. */
export async function restrict(cluster: Cluster, namespace: string): Promise<void> {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } };
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });
}

/** Values of the chart for the images of these tests. */
export const imageValues = {
  image: { ...imageOf(images.controller), pullPolicy: "Never" },
  agent: { image: imageOf(images.agent) },
  mysqldExporter: { image: imageOf(images.exporter) },
  fluentbit: { image: imageOf(images.fluentBit) },
};

function imageOf(reference: string): { readonly repository: string; readonly tag: string } {
  const colon = reference.lastIndexOf(":");
  return { repository: reference.slice(0, colon), tag: reference.slice(colon + 1) };
}
