import { connect, ConfigMaps, createInformer } from "@moco-ts/kube";
import { serveOrders } from "./candidate.ts";

serveOrders(async ({ config, namespace, labelSelector }, onEvent) => {
  const informer = createInformer(connect(config), ConfigMaps, { namespaces: [namespace], labelSelector });
  let synced = false;
  const count = (): void => void (synced && onEvent());
  informer.subscribe({ added: count, updated: count, deleted: count });
  const { signal } = new AbortController();
  void informer.run(signal);
  await informer.waitForSync(signal);
  synced = true;
  return { size: () => informer.cache.size };
});
