import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node";
import { serveOrders } from "./candidate.ts";

serveOrders(async ({ kubeconfigPath, namespace, labelSelector }, onEvent) => {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfigPath);
  const api = config.makeApiClient(CoreV1Api);
  const list = () => api.listNamespacedConfigMap({ namespace, labelSelector });
  const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list, labelSelector);
  let synced = false;
  const count = (): void => void (synced && onEvent());
  for (const verb of ["add", "update", "delete"] as const) informer.on(verb, count);
  // It stops at errors; to go on is its user's task.
  informer.on("error", () => void informer.start());
  await informer.start();
  synced = true;
  return { size: () => informer.list(namespace).length };
});
