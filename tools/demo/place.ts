import { prepareImages } from "@moco-ts/bundle";
import { installChart, removeChart } from "@moco-ts/helm";
import { connect, loadKubeconfig, Namespaces } from "@moco-ts/kube";
import { buildImages, down, loadImages, up } from "@moco-ts/local-kubernetes";
import type { Narrator } from "./narrator.ts";

/** Where the story plays. */
export interface Place {
  readonly kubeconfigPath: string;
  readonly namespace: string;
  /** Of mysqld. */
  readonly image: string;
  /** How a person goes on if the place is kept. */
  readonly hints: readonly string[];
  leave(): Promise<void>;
}

const name = "demo";
const local = "localhost/moco-ts";
const charts = ["moco", "pvc-autoresizer"] as const;
const systemNamespaces = { moco: "moco-system", "pvc-autoresizer": "pvc-autoresizer" };

/** A cluster of our own, made for the demo. */
export async function localPlace(narrator: Narrator, signal: AbortSignal): Promise<Place> {
  const report = (line: string): void => narrator.say(line);
  const leave = async (): Promise<void> => {
    console.log("\nTaking the cluster down.");
    await down(name, { report });
  };
  try {
    const { kubeconfigPath, nodes } = await narrator.step("A Kubernetes node on this machine", () =>
      up({ name, report }),
    );
    signal.throwIfAborted();
    await narrator.step("The images, built and loaded into the node", async () => {
      const folder = await prepareImages("images-demo");
      const names = ["moco-controller", "moco-agent", "pvc-autoresizer", "mysql", "mysqld-exporter", "fluent-bit"];
      await buildImages({ folder, names, report, signal });
      const references = names.map((each) => `${local}/${each}:${each === "mysql" ? "9.7" : "dev"}`);
      await loadImages(nodes, references, { report, signal });
    });
    await install(
      kubeconfigPath,
      { imageRegistry: local, image: { tag: "dev", pullPolicy: "Never" } },
      narrator,
      signal,
    );
    const command = "node_modules/.bin/node tools/local-kubernetes/main.ts";
    const hints = [
      `  export KUBECONFIG=${kubeconfigPath}`,
      "  make cli && build/kubectl-moco status demo -w     # and in another terminal:",
      "  build/kubectl-moco switchover demo",
      `  ${command} kubectl --name ${name} get mysqlclusters,pods,pvc`,
      `  ${command} down --name ${name}`,
    ];
    return { kubeconfigPath, namespace: "default", image: `${local}/mysql:9.7`, hints, leave };
  } catch (error) {
    await leave();
    throw error;
  }
}

export interface ExistingOptions {
  readonly kubeconfigPath: string;
  /** Where nodes find this project's images. */
  readonly images: string;
  readonly mysql: string;
  readonly narrator: Narrator;
  readonly signal: AbortSignal;
}

/** A namespace of a cluster that is there already: its default StorageClass must be able to grow volumes. */
export async function existingPlace(options: ExistingOptions): Promise<Place> {
  const { kubeconfigPath, images, mysql, narrator, signal } = options;
  const client = connect(await loadKubeconfig({ environment: {}, path: kubeconfigPath }));
  const installed = await install(kubeconfigPath, { imageRegistry: images }, narrator, signal);
  const namespace = await narrator.step("A namespace in the existing cluster", async () => {
    const { metadata } = await client.create(Namespaces, { metadata: { generateName: "moco-ts-demo-" } }, { signal });
    narrator.say(`namespace ${metadata!.name}, mysqld from ${mysql}`);
    return metadata!.name!;
  });
  const leave = async (): Promise<void> => {
    console.log(`\nDeleting the namespace ${namespace} and what was installed.`);
    await client.delete(Namespaces, { name: namespace });
    // The controller ends its clusters, so it has to outlive them.
    while (
      await client.get(Namespaces, { name: namespace }).then(
        () => true,
        () => false,
      )
    ) {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    for (const chart of installed) {
      await removeChart(chart, { kubeconfigPath, namespace: systemNamespaces[chart] });
    }
    await client.close();
  };
  const hints = [
    `  make cli && build/kubectl-moco --namespace ${namespace} status demo -w`,
    `  kubectl --namespace ${namespace} get mysqlclusters,pods,pvc`,
    `  kubectl delete namespace ${namespace}`,
    ...installed.map((chart) => `  helm uninstall ${chart} --namespace ${systemNamespaces[chart]}`),
  ];
  return { kubeconfigPath, namespace, image: mysql, hints, leave };
}

/** By the charts that users install too. Returns which. */
async function install(
  kubeconfigPath: string,
  values: { readonly image?: object; readonly imageRegistry: string },
  narrator: Narrator,
  signal: AbortSignal,
): Promise<readonly (typeof charts)[number][]> {
  await narrator.step("The operator and the autoresizer, installed by their Helm charts", async () => {
    const tag = values.image && { image: { tag: "dev" } };
    const repository = (image: string) => values.image && { image: { repository: `${local}/${image}`, tag: "dev" } };
    const own = {
      moco: { agent: tag, fluentbit: repository("fluent-bit"), mysqldExporter: repository("mysqld-exporter") },
      // A round every few seconds, over volumes of any StorageClass: a demo has no time.
      "pvc-autoresizer": {
        controller: {
          args: { useK8sMetricsApi: true, interval: "3s", additionalArgs: ["--no-annotation-check"] },
        },
      },
    };
    for (const chart of charts) {
      signal.throwIfAborted();
      const namespace = systemNamespaces[chart];
      await installChart(chart, { kubeconfigPath, namespace, values: { ...values, ...own[chart] } });
      narrator.say(`helm upgrade --install ${chart} charts/${chart} --namespace ${namespace}`);
    }
  });
  return charts;
}
