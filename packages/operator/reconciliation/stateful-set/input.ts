import type { MySQLCluster } from "@moco-ts/api";
import type { StatefulSet } from "@moco-ts/kube";
import type { PodSettings } from "../security.ts";
import type { ReconcilerVersion } from "../version.ts";

/** Images of the containers that the operator adds, as the controller's flags name them. */
export interface PodImages {
  readonly agent: string;
  /** The agent of clusters at version 1, so that they can go on with the one that they have. */
  readonly agentV1: string;
  readonly fluentBit: string;
  readonly exporter: string;
}

/** All that a cluster's StatefulSet is made from. */
export interface StatefulSetInput extends PodSettings {
  readonly cluster: MySQLCluster;
  readonly version: ReconcilerVersion;
  readonly images: PodImages;
  /** Names. */
  readonly configMaps: {
    readonly myCnf: string;
    /** Undefined if the slow query log is not printed. */
    readonly fluentBit: string | undefined;
  };
  /** The data of the ConfigMap that `spec.mysqlConfigMapName` names. */
  readonly userOptions: Readonly<Record<string, string>>;
  /** The StatefulSet as it is, if there is one: of its claim templates, which can't be changed, some things are kept. */
  readonly live?: StatefulSet | undefined;
  /** Whether the sidecars of `live` keep their images, whatever the flags say: another one restarts mysqld. Default: no. */
  readonly keepSidecars?: boolean;
}
