import type { Logger, Metrics } from "@moco-ts/base";
import {
  changesOf,
  createController,
  createInformer,
  done,
  keyOf,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  StorageClasses,
  type Client,
  type Controller,
  type EventRecorder,
  type PersistentVolume,
  type Pod,
} from "@moco-ts/kube";
import { actOnClaim } from "./claim-act.ts";
import { decideClaim } from "./claim-decide.ts";
import { volumeName } from "./names.ts";
import { StepError, type Tools } from "./step.ts";
import { actOnVolume } from "./volume-act.ts";
import { decideVolume, isOurs } from "./volume-decide.ts";

export interface Context {
  informers: ReturnType<typeof createInformers>;
  tools: Tools;
  events: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}

export function createInformers(client: Client, logger: Logger) {
  return {
    claims: createInformer(client, PersistentVolumeClaims, { logger }),
    volumes: createInformer(client, PersistentVolumes, { logger }),
    classes: createInformer(client, StorageClasses, { logger }),
    pods: createInformer(client, Pods, { logger, transform: onlyVolumes, indexes: { claim: claimsOfPod } }),
  };
}

/** Gives claims their volumes, and makes volumes as large as their claims ask for. */
export function claimController({ informers, tools, events, logger, metrics }: Context): Controller {
  const { claims, volumes, classes, pods } = informers;
  return createController({
    name: "claim",
    concurrency: 4,
    sources: [
      changesOf(claims),
      changesOf(volumes, { map: claimOfVolume }),
      changesOf(pods, { map: claimsOfPod }),
      // A class that comes late, or anew, may be what claims wait for.
      changesOf(classes, { map: () => claims.cache.list().map(keyOf) }),
    ],
    async reconcile(key, { signal, log }) {
      const claim = claims.cache.get(key);
      if (claim === undefined) {
        return done;
      }
      const snapshot = {
        claim,
        storageClass: classes.cache.get(claim.spec?.storageClassName ?? ""),
        volume: volumes.cache.get(claim.spec?.volumeName || volumeName(claim.metadata!.uid!)),
        pods: pods.cache.byIndex("claim", key).filter(isRunning),
      };
      const plan = decideClaim(snapshot);
      log[plan.do === "nothing" ? "debug" : "info"](plan.do, { reason: plan.reason });
      return { kind: "done", events: await actOnClaim(tools, snapshot, plan, signal) };
    },
    failureEvent,
    events,
    logger,
    metrics,
  });
}

/** Keeps disks mounted, and removes those whose claims are gone. */
export function volumeController({ informers: { volumes }, tools, events, logger, metrics }: Context): Controller {
  return createController({
    name: "volume",
    concurrency: 4,
    sources: [changesOf(volumes)],
    async reconcile(key, { signal, log }) {
      const volume = volumes.cache.get(key);
      if (volume === undefined || !isOurs(volume)) {
        return done;
      }
      const disk = tools.disks.diskOf(volume);
      const state = { exists: (await disk.size()) !== undefined, mounted: await disk.mounted() };
      const plan = decideVolume({ volume, disk: state });
      log[plan.do === "nothing" ? "debug" : "info"](plan.do, { reason: plan.reason });
      await actOnVolume(tools, volume, plan, signal);
      return done;
    },
    failureEvent,
    events,
    logger,
    metrics,
  });
}

function failureEvent(_key: string, error: unknown) {
  return error instanceof StepError ? error.event : undefined;
}

function claimOfVolume({ spec }: PersistentVolume): string[] {
  const { namespace, name } = spec?.claimRef ?? {};
  return name === undefined ? [] : [keyOf({ namespace, name })];
}

function claimsOfPod({ metadata, spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim ? [keyOf({ namespace: metadata?.namespace, name: persistentVolumeClaim.claimName })] : [],
  );
}

function isRunning({ spec, status }: Pod): boolean {
  return spec?.nodeName !== undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

/** Pods are many and large; what matters here is which claims they use. */
function onlyVolumes({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const { namespace, name, uid, resourceVersion } = metadata ?? {};
  const { nodeName, volumes } = spec ?? {};
  return JSON.parse(
    JSON.stringify({
      apiVersion,
      kind,
      metadata: { namespace, name, uid, resourceVersion },
      spec: { containers: [], nodeName, volumes },
      status: { phase: status?.phase },
    }),
  ) as Pod;
}
