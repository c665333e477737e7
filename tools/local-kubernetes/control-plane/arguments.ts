import type { ControlPlaneFiles } from "./files.ts";

/** Program arguments without the dashes: an array gives the flag several times. */
export type Flags = Record<string, string | number | boolean | string[]>;

export function toArguments(flags: Flags): string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => `--${name}=${each}`),
  );
}

export interface EtcdPorts {
  client: number;
  peer: number;
}

/** etcd listens on the loopback address only, and keeps nothing safe: a cluster here may be lost with the machine. */
export function etcdFlags(files: ControlPlaneFiles, ports: EtcdPorts): Flags {
  const client = `http://127.0.0.1:${ports.client}`;
  const peer = `http://127.0.0.1:${ports.peer}`;
  return {
    name: "default",
    "data-dir": files.etcdData,
    "listen-client-urls": client,
    "advertise-client-urls": client,
    "listen-peer-urls": peer,
    "initial-advertise-peer-urls": peer,
    "initial-cluster": `default=${peer}`,
    "unsafe-no-fsync": true,
    "log-level": "warn",
  };
}

export interface ApiServerOptions {
  etcdPort: number;
  bindAddress: string;
  port: number;
  serviceNetwork: string;
  auditLog: boolean;
}

export function apiServerFlags(files: ControlPlaneFiles, options: ApiServerOptions): Flags {
  return {
    "etcd-servers": `http://127.0.0.1:${options.etcdPort}`,
    "bind-address": options.bindAddress,
    "secure-port": options.port,
    "service-cluster-ip-range": options.serviceNetwork,
    "authorization-mode": "Node,RBAC",
    "allow-privileged": true,
    "tls-cert-file": files.apiServerCertificate,
    "tls-private-key-file": files.apiServerKey,
    "client-ca-file": files.authority,
    "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
    "service-account-signing-key-file": files.serviceAccountKey,
    "service-account-key-file": files.serviceAccountPublicKey,
    ...(options.auditLog && {
      "audit-log-path": files.auditLog,
      "audit-policy-file": files.auditPolicy,
      // Tests read the log right after a request: a line must not wait in a buffer.
      "audit-log-mode": "blocking",
    }),
  };
}

export interface ControllerManagerOptions {
  bindAddress: string;
  port: number;
}

export function controllerManagerFlags(files: ControlPlaneFiles, options: ControllerManagerOptions): Flags {
  return {
    kubeconfig: files.kubeconfig,
    "authentication-kubeconfig": files.kubeconfig,
    "authorization-kubeconfig": files.kubeconfig,
    "bind-address": options.bindAddress,
    "secure-port": options.port,
    "leader-elect": false,
    "root-ca-file": files.authority,
    "service-account-private-key-file": files.serviceAccountKey,
    "cluster-signing-cert-file": files.authority,
    "cluster-signing-key-file": files.authorityKey,
  };
}
