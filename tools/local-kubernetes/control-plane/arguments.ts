import type { ControlPlaneFiles } from "./files.ts";
import type { ControlPlanePorts } from "./ports.ts";

/** Program arguments without the dashes: an array gives the flag several times. */
export type Flags = Record<string, string | number | boolean | string[]>;

export function toArguments(flags: Flags): string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => `--${name}=${each}`),
  );
}

export interface ControlPlaneSettings {
  files: ControlPlaneFiles;
  /** Where the API server is reached by everybody. */
  address: string;
  ports: ControlPlanePorts;
  /** CIDR of the services. */
  services: string;
  auditLog: boolean;
}

/** etcd listens on the loopback address only, and keeps nothing safe: a cluster here may be lost with the machine. */
export function etcdFlags({ files, address, ports }: ControlPlaneSettings): Flags {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return {
    name: "default",
    "data-dir": files.etcdData,
    "listen-client-urls": client,
    "advertise-client-urls": client,
    "listen-peer-urls": peer,
    "initial-advertise-peer-urls": peer,
    "initial-cluster": `default=${peer}`,
    "listen-metrics-urls": `http://${address}:${ports.etcdMetrics}`,
    "unsafe-no-fsync": true,
    "log-level": "warn",
  };
}

export function apiServerFlags({ files, address, ports, services, auditLog }: ControlPlaneSettings): Flags {
  return {
    "etcd-servers": `http://127.0.0.1:${ports.etcd}`,
    "bind-address": address,
    "advertise-address": address,
    "secure-port": ports.apiServer,
    "service-cluster-ip-range": services,
    "authorization-mode": "Node,RBAC",
    "enable-admission-plugins": "NodeRestriction",
    "allow-privileged": true,
    "tls-cert-file": files.apiServerCertificate,
    "tls-private-key-file": files.apiServerKey,
    "client-ca-file": files.authority,
    // Nobody resolves the names of nodes.
    "kubelet-preferred-address-types": "InternalIP",
    "kubelet-certificate-authority": files.authority,
    "kubelet-client-certificate": files.apiServerCertificate,
    "kubelet-client-key": files.apiServerKey,
    "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
    "service-account-signing-key-file": files.serviceAccountKey,
    "service-account-key-file": files.serviceAccountPublicKey,
    ...(auditLog && {
      "audit-log-path": files.auditLog,
      "audit-policy-file": files.auditPolicy,
      // Tests read the log right after a request: a line must not wait in a buffer.
      "audit-log-mode": "blocking",
    }),
  };
}

export function controllerManagerFlags({ files, address, ports }: ControlPlaneSettings): Flags {
  return {
    ...clientFlags(files.controllerManagerKubeconfig),
    "bind-address": address,
    "secure-port": ports.controllerManager,
    "use-service-account-credentials": true,
    // By default it makes 20 requests a second, and needs seconds to get started.
    "kube-api-qps": 500,
    "kube-api-burst": 1000,
    "root-ca-file": files.authority,
    "service-account-private-key-file": files.serviceAccountKey,
    "cluster-signing-cert-file": files.authority,
    "cluster-signing-key-file": files.authorityKey,
  };
}

export function schedulerFlags({ files, address, ports }: ControlPlaneSettings): Flags {
  return {
    ...clientFlags(files.schedulerKubeconfig),
    "bind-address": address,
    "secure-port": ports.scheduler,
  };
}

function clientFlags(kubeconfig: string): Flags {
  return {
    kubeconfig,
    "authentication-kubeconfig": kubeconfig,
    "authorization-kubeconfig": kubeconfig,
    // There is one of each: an election would only cost time.
    "leader-elect": false,
  };
}
