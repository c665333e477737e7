import { dataClaimTemplate, volumeNames } from "@moco-ts/api";
import type { VolumeMount } from "@moco-ts/kube";
import { podPaths } from "@moco-ts/mysql";

/** Volumes at the places where all containers look for them. */
export const mounts = {
  tmp: { name: volumeNames.tmp, mountPath: podPaths.temporary },
  run: { name: volumeNames.run, mountPath: podPaths.run },
  logs: { name: volumeNames.varLog, mountPath: podPaths.logs },
  configuration: { name: volumeNames.mysqlConf, mountPath: podPaths.configuration },
  instanceConfiguration: { name: volumeNames.mysqlConfD, mountPath: podPaths.instanceConfiguration },
  credentials: { name: volumeNames.myCnfSecret, mountPath: podPaths.credentials, readOnly: true },
  data: { name: dataClaimTemplate, mountPath: podPaths.data },
  shared: { name: volumeNames.shared, mountPath: podPaths.shared },
  certificates: { name: volumeNames.grpcCert, mountPath: podPaths.certificates, readOnly: true },
  fluentBit: { name: volumeNames.slowFluentBitConfig, mountPath: podPaths.fluentBit, readOnly: true },
} as const satisfies Record<string, VolumeMount>;
