import type { JobConfig } from "@moco-ts/api";

/** Arguments of moco-backup that backup and restore have in common: how to work, and where backups are kept. */
export function bucketArguments({ threads, bucketConfig }: JobConfig): string[] {
  const { bucketName, region, endpointURL, usePathStyle, backendType, caCert } = bucketConfig;
  return [
    `--threads=${threads}`,
    ...(region ? [`--region=${region}`] : []),
    ...(endpointURL ? [`--endpoint=${endpointURL}`] : []),
    ...(usePathStyle ? ["--use-path-style"] : []),
    ...(backendType ? [`--backend-type=${backendType}`] : []),
    ...(caCert ? [`--ca-cert=${caCert}`] : []),
    bucketName,
  ];
}
