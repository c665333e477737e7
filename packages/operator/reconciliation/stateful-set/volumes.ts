import { volumeNames, type AnyPartOf } from "@moco-ts/api";
import type { Volume } from "@moco-ts/kube";
import { namesOfCluster } from "../metadata.ts";
import type { StatefulSetInput } from "./input.ts";

/** Everybody in the Pod may read them: containers can run as different users. */
const defaultMode = 0o644;

/** Volumes that the operator adds. Those with nothing but a name are empty directories. */
export function operatorVolumes({ cluster, configMaps }: StatefulSetInput): AnyPartOf<Volume>[] {
  const { tmp, run, varLog, mysqlConfD, shared, mysqlConf, myCnfSecret, grpcCert, slowFluentBitConfig } = volumeNames;
  const names = namesOfCluster(cluster);
  return [
    ...[tmp, run, varLog, mysqlConfD, shared].map((name) => ({ name })),
    { name: mysqlConf, configMap: { name: configMaps.myCnf, defaultMode } },
    { name: myCnfSecret, secret: { secretName: names.myCnfSecret, defaultMode } },
    { name: grpcCert, secret: { secretName: names.grpcSecret, defaultMode } },
    ...(configMaps.fluentBit === undefined
      ? []
      : [{ name: slowFluentBitConfig, configMap: { name: configMaps.fluentBit, defaultMode } }]),
  ];
}
