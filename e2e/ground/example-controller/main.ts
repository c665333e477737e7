/** A whole controller in a pod: every part of the runtime at work, as an operator would wire it. */
import { createLogger, Metrics, systemClock } from "@moco-ts/base";
import {
  Applier,
  changesOf,
  ConfigMaps,
  connect,
  createController,
  createInformer,
  createManager,
  createWebhooks,
  EventRecorder,
  guardClient,
  LeaderElection,
  loadConfig,
  ownedBy,
  runProgram,
} from "@moco-ts/kube";
import { checkCopies, setDefault } from "./admission.ts";
import { copyOfLabel, namespace, program, sourceLabel, webhookPaths, webhookPort } from "./names.ts";
import { reconcile } from "./reconcile.ts";

const logger = createLogger({ level: "debug" });
const metrics = new Metrics();

await runProgram(process, logger, async (signal) => {
  const config = await loadConfig({ environment: process.env });
  const client = connect(config, { userAgent: program, metrics, logger });
  const election = new LeaderElection({
    client: connect(config, { userAgent: `${program}/lease` }),
    namespace,
    name: program,
    logger,
    metrics,
    leaseDuration: 4000,
    renewDeadline: 3000,
    retryPeriod: 500,
  });
  const guarded = guardClient(client, election);
  const watching = { metrics, logger, namespaces: [namespace] };
  const sources = createInformer(client, ConfigMaps, { ...watching, labelSelector: sourceLabel });
  const copies = createInformer(client, ConfigMaps, {
    ...watching,
    labelSelector: copyOfLabel,
    keepManagedFieldsOf: [program],
  });

  const webhooks = createWebhooks({
    client,
    certificate: { managed: { namespace, name: program }, dnsNames: [`${program}.${namespace}.svc`] },
    trustedBy: { mutatingWebhookConfigurations: [program], validatingWebhookConfigurations: [program] },
    port: webhookPort,
    clock: systemClock,
    metrics,
    logger,
  });
  webhooks.server.mutating(webhookPaths.mutate, setDefault);
  webhooks.server.validating(webhookPaths.validate, checkCopies);

  const events = new EventRecorder({ client, component: program, metrics, logger });
  const tools = {
    client: guarded,
    applier: new Applier({ client: guarded, fieldManager: program, logger }),
    sources,
    copies,
  };
  const controller = createController({
    name: "copies",
    sources: [changesOf(sources), changesOf(copies, { map: ownedBy(ConfigMaps) })],
    reconcile: (key, context) => reconcile(tools, key, context),
    leadership: election,
    events,
    metrics,
    logger,
  });

  await createManager({
    servers: [webhooks],
    informers: [sources, copies],
    components: [controller],
    election,
    events: [events],
    metrics,
    logger,
  }).run(signal);
});
