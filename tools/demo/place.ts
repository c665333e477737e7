import { Namespaces, connect, loadKubeconfig } from "@moco-ts/kube";
import { buildImages, down, loadImages, up } from "@moco-ts/local-kubernetes";
import type { Narrator } from "./narrator.ts";

/** Where the story plays. */
export interface Place {
  readonly kubeconfigPath: string;
  readonly namespace: string;
  readonly image: string;
  /** How a person goes on if the place is kept. */
  readonly hints: readonly string[];
  leave(): Promise<void>;
}

const name = "demo";
const localImage = "localhost/moco-ts/mysql:9.7";

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
    await narrator.step("An image with mysqld, loaded into the node", async () => {
      await buildImages({ names: ["mysql"], report, signal });
      await loadImages(nodes, [localImage], { report, signal });
    });
    const command = "node_modules/.bin/node tools/local-kubernetes/main.ts";
    const hints = [
      `  export KUBECONFIG=${kubeconfigPath}`,
      `  ${command} kubectl --name ${name} get pods,pvc`,
      `  ${command} down --name ${name}`,
    ];
    return { kubeconfigPath, namespace: "default", image: localImage, hints, leave };
  } catch (error) {
    await leave();
    throw error;
  }
}

/** A namespace of a cluster that is there already: its default StorageClass must be able to grow volumes. */
export async function existingPlace(
  kubeconfigPath: string,
  image: string,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<Place> {
  const client = connect(await loadKubeconfig({ environment: {}, path: kubeconfigPath }));
  const namespace = await narrator.step("A namespace in the existing cluster", async () => {
    const { metadata } = await client.create(Namespaces, { metadata: { generateName: "moco-ts-demo-" } }, { signal });
    narrator.say(`namespace ${metadata!.name}, image ${image}`);
    return metadata!.name!;
  });
  const leave = async (): Promise<void> => {
    console.log(`\nDeleting the namespace ${namespace}.`);
    await client.delete(Namespaces, { name: namespace });
    await client.close();
  };
  const hints = [`  kubectl --namespace ${namespace} get pods,pvc`, `  kubectl delete namespace ${namespace}`];
  return { kubeconfigPath, namespace, image, hints, leave };
}
