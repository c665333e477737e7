import { Metrics, silentLogger, type Logger } from "@moco-ts/base";
import { expect, test } from "vitest";
import {
  Applier,
  changesOf,
  ConfigMaps,
  connect,
  controllerReference,
  createController,
  createInformer,
  createManager,
  done,
  EventRecorder,
  Events,
  guardClient,
  isNotFound,
  keyOf,
  LeaderElection,
  Leases,
  ownedBy,
  TerminalError,
  type ClusterConfig,
  type ConfigMap,
  type Informer,
  type Outcome,
  type ReconcileContext,
} from "../index.ts";
import { runUntilTestEnds } from "../testing/informers.ts";
import { testClient, testConfig, testNamespace } from "../testing/cluster.ts";

// A small complete controller: every ConfigMap with the label `guest` gets a second one, a card that greets the guest.

/** 1. Reconcile: look at everything about one key, and do what is missing. It can be called at any time, and again. */
function greet(guests: Informer<ConfigMap>, cards: Informer<ConfigMap>, applier: Applier) {
  return async (key: string, { signal, log }: ReconcileContext): Promise<Outcome> => {
    const guest = guests.cache.get(key);
    if (!guest?.metadata) return done; // It is gone, and its card goes with it: the card has an owner.
    const name = guest.data?.["name"];
    if (name === undefined) throw new TerminalError("GUEST_NAMELESS", "data.name is missing"); // Until somebody edits it.

    const { namespace } = guest.metadata;
    const metadata = {
      namespace,
      name: `card-for-${guest.metadata.name}`,
      labels: { card: "" },
      ownerReferences: [controllerReference(ConfigMaps, guest)],
    };
    const live = cards.cache.get(keyOf(metadata)); // Nothing is asked of the server if this is as it should be.
    const card = await applier.apply(ConfigMaps, { metadata, data: { text: `Hello, ${name}!` } }, { live, signal });
    if (card.outcome === "unchanged") return done;
    log.info("wrote a card", { outcome: card.outcome });
    return {
      kind: "done",
      events: [{ regarding: guest, type: "Normal", reason: "Greeted", message: `wrote a card for ${name}` }],
    };
  };
}

/** 2. Wire: one place makes everything. A program calls this from runProgram(process, logger, ...). */
function createGreeter(config: ClusterConfig, namespace: string, logger: Logger) {
  const metrics = new Metrics();
  // The lease has a client of its own; what the others write is written only while we lead.
  const election = new LeaderElection({ client: connect(config), namespace, name: "greeter", logger, metrics });
  const client = guardClient(connect(config, { userAgent: "greeter", metrics }), election);
  const cache = { namespaces: [namespace], logger, metrics };
  const guests = createInformer(client, ConfigMaps, { ...cache, labelSelector: "guest" });
  const cards = createInformer(client, ConfigMaps, {
    ...cache,
    labelSelector: "card",
    keepManagedFieldsOf: ["greeter"],
  });
  const events = new EventRecorder({ client, component: "greeter", logger, metrics });
  const controller = createController({
    name: "greeter",
    // 3. Sources: when to look. A change of a card is a reason to look at its guest.
    sources: [changesOf(guests), changesOf(cards, { map: ownedBy(ConfigMaps) })],
    reconcile: greet(guests, cards, new Applier({ client, fieldManager: "greeter", logger })),
    failureEvent: (key, error) => ({
      regarding: guests.cache.get(key) ?? {},
      type: "Warning",
      reason: "GreetingFailed",
      message: String(error),
    }),
    concurrency: 4,
    leadership: election,
    events,
    logger,
    metrics,
  });
  return createManager({
    informers: [guests, cards],
    components: [controller],
    events: [events],
    election,
    healthAddress: "127.0.0.1:0",
    metricsAddress: "0",
    logger,
    metrics,
  });
}

test("example: a small complete controller", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const manager = createGreeter(await testConfig(), namespace, silentLogger);
  const { stop } = runUntilTestEnds((signal) => manager.run(signal));
  const textOfCard = async (guest: string): Promise<string | undefined> => {
    try {
      const card = await client.get(ConfigMaps, { namespace, name: `card-for-${guest}` });
      return card.data?.["text"];
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const guest = (name: string, data?: Record<string, string>): ConfigMap => ({
    metadata: { namespace, name, labels: { guest: "" } },
    ...(data && { data }),
  });

  // A guest comes and gets a card; a new name changes it.
  await client.create(ConfigMaps, guest("ada", { name: "Ada" }));
  await expect.poll(() => textOfCard("ada")).toBe("Hello, Ada!");
  const rename = { type: "merge", body: { data: { name: "Countess Lovelace" } } } as const;
  await client.patch(ConfigMaps, { namespace, name: "ada" }, rename);
  await expect.poll(() => textOfCard("ada")).toBe("Hello, Countess Lovelace!");

  // Whoever tampers with the card finds it as it was.
  await client.delete(ConfigMaps, { namespace, name: "card-for-ada" });
  await expect.poll(() => textOfCard("ada")).toBe("Hello, Countess Lovelace!");

  // A guest without a name is told so, once, and helped when it has one.
  await client.create(ConfigMaps, guest("nobody"));
  const warnings = async () => {
    const fieldSelector = "involvedObject.name=nobody,type=Warning";
    const { items } = await client.list(Events, { namespace, fieldSelector });
    return items.map(({ reason, count }) => ({ reason, count }));
  };
  await expect.poll(warnings).toEqual([{ reason: "GreetingFailed", count: 1 }]);
  await client.patch(
    ConfigMaps,
    { namespace, name: "nobody" },
    { type: "merge", body: { data: { name: "Odysseus" } } },
  );
  await expect.poll(() => textOfCard("nobody")).toBe("Hello, Odysseus!");

  // At the end the lease is given up, so that another replica takes over at once.
  await stop();
  expect((await client.get(Leases, { namespace, name: "greeter" })).spec?.holderIdentity).toBe("");
});
