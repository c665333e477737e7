/** PEM text, or a file that is read again as it may be rotated. */
export type Pem = { readonly data: string } | { readonly file: string };

/** Where a cluster is and who we are: what kubeconfig files and the in-cluster environment are turned into. */
export interface ClusterConfig {
  /** `https://host:port`, perhaps with a path. */
  readonly server: string;
  /** Who signed the server's certificate. Default: the system's authorities. */
  readonly certificateAuthority?: Pem;
  /** The name in the server's certificate if it is not the host. */
  readonly tlsServerName?: string;
  /** Accept any server certificate. Default false. */
  readonly insecureSkipTlsVerify?: boolean;
  readonly credentials: Credentials;
  /** Where namespaced objects of this user belong by default. */
  readonly namespace: string;
}

/** Several may be set; a token of `exec` goes before `tokenFile`, that before `token`, that before `basic`. */
export interface Credentials {
  readonly clientCertificate?: { readonly certificate: Pem; readonly key: Pem };
  readonly exec?: ExecPlugin;
  readonly tokenFile?: string;
  readonly token?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly impersonate?: { readonly user: string; readonly uid?: string; readonly groups?: readonly string[] };
}

/** A program that prints an ExecCredential (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly arguments: readonly string[];
  /** The whole environment of the program. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The `spec.cluster` that the program is told, if it wants to know. */
  readonly clusterInfo?: object;
  readonly installHint?: string;
}
