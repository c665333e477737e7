import { mkdir } from "node:fs/promises";
import { Metrics, retry, systemClock, type Logger } from "@moco-ts/base";
import { createManager, EventRecorder, PersistentVolumeClaims, PersistentVolumes, type Client } from "@moco-ts/kube";
import { applyStorageClasses } from "./classes.ts";
import { claimController, createInformers, volumeController } from "./controllers.ts";
import { Disks } from "./disks.ts";
import { provisioner, volumeName } from "./names.ts";

export interface ProvisionerOptions {
  client: Client;
  /** Where disks are kept, in a folder per node. */
  directory: string;
  logger: Logger;
}

/**
 * What an external provisioner, an external resizer and a storage driver do, for disks of this machine. Runs until the
 * signal is aborted. It can be killed at any moment: the next one finishes what this one began.
 */
export async function runProvisioner(options: ProvisionerOptions, signal: AbortSignal): Promise<void> {
  const { client, directory, logger } = options;
  const disks = new Disks(directory);
  await mkdir(directory, { recursive: true });
  await retry({ clock: systemClock, signal, initial: 100, maximum: 2_000 }, async () => {
    await applyStorageClasses(client, signal);
    await removeOrphans(client, disks, logger, signal);
  });

  const metrics = new Metrics();
  const events = new EventRecorder({ client, component: provisioner, logger, metrics });
  const informers = createInformers(client, logger);
  const context = { informers, tools: { client, disks, clock: systemClock }, events, logger, metrics };
  const manager = createManager({
    informers: Object.values(informers),
    components: [claimController(context), volumeController(context)],
    events: [events],
    healthAddress: "0",
    metricsAddress: "0",
    metrics,
    logger,
  });
  await manager.run(signal);
}

/** Disks whose claim was deleted before they got a volume object, because the program was killed in between. */
async function removeOrphans(client: Client, disks: Disks, logger: Logger, signal: AbortSignal): Promise<void> {
  // Disks first: what has a claim or a volume by now is no orphan.
  const found = await disks.all();
  const claims = await client.list(PersistentVolumeClaims, { signal });
  const volumes = await client.list(PersistentVolumes, { signal });
  const wanted = new Set([
    ...claims.items.map(({ metadata }) => volumeName(metadata!.uid!)),
    ...volumes.items.map(({ metadata }) => metadata!.name!),
  ]);
  for (const { volume, disk } of found.filter((each) => !wanted.has(each.volume))) {
    logger.info("removing a disk without a volume", { volume });
    await disk.remove(signal);
  }
}
