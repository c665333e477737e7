import type { MySQLCluster } from "@moco-ts/api";
import type { Caches } from "../caches.ts";
import type { Config } from "../config.ts";
import { together } from "../together.ts";
import { changeClaims, type ClaimTools } from "./claims.ts";
import { decide, type ClaimPlan } from "./decide.ts";
import { observeVolumes } from "./observe.ts";
import { completeRecreation, type RecreationTools } from "./recreate.ts";

export interface VolumeTools extends ClaimTools, RecreationTools {
  readonly caches: Caches;
  readonly config: Pick<Config, "claimSync">;
}

/** How the cluster's claims stand to their templates, and what is to be done. */
export function planVolumes({ caches, config }: VolumeTools, cluster: MySQLCluster): ClaimPlan[] {
  return decide(observeVolumes(caches, cluster), config.claimSync);
}

/** What can't wait: a StatefulSet that is missing, and disks that are too small. Neither holds up the other. */
export function maintainVolumes(tools: VolumeTools, cluster: MySQLCluster, signal: AbortSignal): Promise<void> {
  return together(
    completeRecreation(tools, cluster, signal),
    changeClaims(tools, cluster, planVolumes(tools, cluster), signal),
  );
}
