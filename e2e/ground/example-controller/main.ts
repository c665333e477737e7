/** A whole controller in a pod: every part of the runtime at work, as an operator would wire it. */
import { createLogger, Metrics, systemClock } from "@moco-ts/base";
import {
  Applier,
  CaBundles,
  changesOf,
  ConfigMaps,
  connect,
  createController,
  createInformer,
  createManager,
  EventRecorder,
  guardClient,
  LeaderElection,
  loadConfig,
  ManagedCertificate,
  MutatingWebhookConfigurations,
  ownedBy,
  runProgram,
  Secrets,
  ValidatingWebhookConfigurations,
  WebhookServer,
} from "@moco-ts/kube";
import { checkCopies, setDefault } from "./admission.ts";
import { copyOfLabel, namespace, program, sourceLabel, webhookPaths, webhookPort } from "./names.ts";
import { reconcile } from "./reconcile.ts";

const logger = createLogger({ level: "debug" });
const metrics = new Metrics();
const clock = systemClock;

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
  const secrets = createInformer(client, Secrets, { ...watching, fieldSelector: `metadata.name=${program}` });
  const bundleManager = `${program}-ca-bundle`;
  const configurations = {
    metrics,
    logger,
    keepManagedFieldsOf: [bundleManager],
    fieldSelector: `metadata.name=${program}`,
  };
  const webhooks = [
    createInformer(client, MutatingWebhookConfigurations, configurations),
    createInformer(client, ValidatingWebhookConfigurations, configurations),
  ];

  const certificates = new ManagedCertificate({
    client,
    secrets,
    secret: { namespace, name: program },
    leaf: { commonName: program, dnsNames: [`${program}.${namespace}.svc`], usages: ["server"] },
    isTrusted: (authority) => bundles.isTrusted(authority),
    clock,
    logger,
  });
  const bundles = new CaBundles({
    certificates,
    applier: new Applier({ client, fieldManager: bundleManager, logger }),
    informers: webhooks,
    names: [program],
    clock,
    logger,
  });
  const server = new WebhookServer({ certificates, clock, metrics, logger, port: webhookPort });
  server.mutating(webhookPaths.mutate, setDefault);
  server.validating(webhookPaths.validate, checkCopies);

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
    informers: [sources, copies, secrets, ...webhooks],
    components: [
      { name: "certificates", needLeaderElection: false, run: (signal) => certificates.run(signal) },
      { name: "ca bundles", needLeaderElection: false, run: (signal) => bundles.run(signal) },
      { name: "webhooks", needLeaderElection: false, run: (signal) => server.run(signal) },
      controller,
    ],
    readyChecks: { certificate: async () => void (await certificates.ready(AbortSignal.timeout(100))) },
    election,
    events: [events],
    metrics,
    logger,
  }).run(signal);
});
