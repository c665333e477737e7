import type { KubeObject } from "@moco-ts/kube";

/** Which cluster: all names follow from it. */
export interface ClusterKey {
  readonly namespace: string;
  readonly name: string;
}

export function clusterKeyOf({ metadata }: KubeObject): ClusterKey {
  return { namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" };
}

/** The names of a cluster's objects. In the cluster's namespace unless another one is named. */
export interface ClusterNames {
  readonly statefulSet: string;
  readonly serviceAccount: string;
  readonly podDisruptionBudget: string;
  readonly headlessService: string;
  readonly primaryService: string;
  readonly replicaService: string;
  /** Passwords of the MySQL users. */
  readonly usersSecret: string;
  /** Options files with the passwords. */
  readonly myCnfSecret: string;
  /** The agents' certificate, where the Pods can mount it. */
  readonly grpcSecret: string;
  /** Passwords of the MySQL users, in the controller's namespace: where they come from. */
  readonly controllerSecret: string;
  /** The agents' certificate, in the controller's namespace: where it comes from. */
  readonly certificateSecret: string;
  /** CronJob, Role and RoleBinding. */
  readonly backup: string;
  /** Job, Role and RoleBinding. */
  readonly restore: string;
  /** The ControllerRevision that a StatefulSet is made anew from. */
  readonly recreation: string;
}

export function namesOf({ namespace, name }: ClusterKey): ClusterNames {
  const prefixed = `moco-${name}`;
  return {
    statefulSet: prefixed,
    serviceAccount: prefixed,
    podDisruptionBudget: prefixed,
    headlessService: prefixed,
    primaryService: `${prefixed}-primary`,
    replicaService: `${prefixed}-replica`,
    usersSecret: prefixed,
    myCnfSecret: `moco-my-cnf-${name}`,
    grpcSecret: `${prefixed}-grpc`,
    controllerSecret: `mysql-${namespace}.${name}`,
    certificateSecret: `moco-agent-${namespace}.${name}`,
    backup: `moco-backup-${name}`,
    restore: `moco-restore-${name}`,
    recreation: `${prefixed}-recreation`,
  };
}

/** The ConfigMap that holds these contents of my.cnf: other contents, another object. */
export function myCnfConfigMapName(clusterName: string, contents: string): string {
  return `moco-${clusterName}.${contentHash(contents)}`;
}

/** True for every ConfigMap that ever held the cluster's my.cnf. */
export function isMyCnfConfigMapName(clusterName: string, objectName: string): boolean {
  return isHashed(`moco-${clusterName}`, objectName);
}

/** The ConfigMap of fluent-bit's configuration; the hash is of the template as it was written, not as expanded. */
export function fluentBitConfigMapName(clusterName: string, template: string): string {
  return `moco-slow-log-agent-config-${clusterName}.${contentHash(template)}`;
}

export function isFluentBitConfigMapName(clusterName: string, objectName: string): boolean {
  return isHashed(`moco-slow-log-agent-config-${clusterName}`, objectName);
}

export function podName(clusterName: string, ordinal: number): string {
  return `moco-${clusterName}-${ordinal}`;
}

/** How instances reach each other: a name that stays when the Pod's address does not. */
export function podHostName({ namespace, name }: ClusterKey, ordinal: number): string {
  return `${podName(name, ordinal)}.moco-${name}.${namespace}.svc`;
}

/** What the agents' certificate is valid for. */
export function podHostNamePattern({ namespace, name }: ClusterKey): string {
  return `*.moco-${name}.${namespace}.svc`;
}

export function claimName(template: string, clusterName: string, ordinal: number): string {
  return `${template}-${podName(clusterName, ordinal)}`;
}

/** The number at the end of a Pod's or claim's name; undefined if there is none. */
export function ordinalOf(objectName: string): number | undefined {
  const digits = /-(0|[1-9]\d{0,8})$/.exec(objectName)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** FNV-1a of 32 bits over the UTF-8 form, in eight hexadecimal digits: part of names that exist already. */
export function contentHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text, "utf8")) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

/** Exactly the prefix, a dot and a hash: `moco-a.` must not match what belongs to a cluster `a.b` or `ab`. */
function isHashed(prefix: string, objectName: string): boolean {
  const separator = objectName.length - 9;
  return objectName.slice(0, separator) === prefix && /^\.[0-9a-f]{8}$/.test(objectName.slice(separator));
}
