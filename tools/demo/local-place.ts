import { prepareImages } from "@moco-ts/bundle";
import { buildImages, cluster, down, loadImages, up } from "@moco-ts/local-kubernetes";
import { autoresizerArguments, install } from "./install.ts";
import type { Narrator } from "./narrator.ts";
import type { Place } from "./place.ts";

export interface LocalOptions {
  readonly name: string;
  readonly narrator: Narrator;
  readonly signal: AbortSignal;
}

const registry = "localhost/moco-ts";
const namespace = "default";
const program = "node_modules/.bin/node tools/local-kubernetes/main.ts";

/** A cluster of our own, made for the demo. */
export async function localPlace(options: LocalOptions): Promise<Place> {
  const { name, narrator, signal } = options;
  if (await exists(name)) {
    throw new Error(`there is a local cluster ${name} already. To take it down:\n  ${program} down --name ${name}`);
  }
  const report = (line: string): void => narrator.say(line);
  const leave = async (): Promise<void> => {
    narrator.print("\nTaking the cluster down.");
    await down(name, { report });
  };
  try {
    const { kubeconfigPath, nodes } = await narrator.step("A Kubernetes node on this machine", () =>
      up({ name, report, signal }),
    );
    await narrator.step("The images, built and loaded into the node", async () => {
      const folder = await prepareImages(`images-${name}`);
      const names = ["moco-controller", "moco-agent", "pvc-autoresizer", "mysql", "mysqld-exporter", "fluent-bit"];
      await buildImages({ folder, names, report, signal });
      const references = names.map((each) => `${registry}/${each}:${each === "mysql" ? "9.7" : "dev"}`);
      await loadImages(nodes, references, { report, signal });
    });
    await install({ kubeconfigPath, values, narrator, signal });
    const hints = [
      `  export KUBECONFIG=${kubeconfigPath}`,
      "  make cli && build/kubectl-moco status demo -w     # and in another terminal:",
      "  build/kubectl-moco switchover demo",
      `  ${program} kubectl --name ${name} get mysqlclusters,pods,pvc`,
      `  ${program} down --name ${name}`,
    ];
    return { kubeconfigPath, namespace, image: `${registry}/mysql:9.7`, hints, leave };
  } catch (error) {
    await leave();
    throw error;
  }
}

function exists(name: string): Promise<boolean> {
  return cluster(name).then(
    () => true,
    () => false,
  );
}

const tag = "dev";
const own = { imageRegistry: registry, image: { tag, pullPolicy: "Never" } };
const values = {
  moco: {
    ...own,
    agent: { image: { tag } },
    fluentbit: { image: { repository: `${registry}/fluent-bit`, tag } },
    mysqldExporter: { image: { repository: `${registry}/mysqld-exporter`, tag } },
  },
  "pvc-autoresizer": { ...own, controller: autoresizerArguments(namespace) },
};
