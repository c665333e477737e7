import { readFile } from "node:fs/promises";
import type { Clock } from "@moco-ts/base";
import type { ClusterConfig, Pem } from "./cluster-config.ts";
import { runExecPlugin, type ExecCredential } from "./exec-plugin.ts";

export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** What a request and a connection carry to say who we are. Everything that can be rotated is read again in time. */
export interface Authentication {
  headers(): Promise<Readonly<Record<string, string | string[]>>>;
  /** The same object as long as nothing changed. */
  tls(): Promise<TlsMaterial>;
  /** After a 401: forgets what was read. False if there is nothing that could be read anew. */
  refresh(): boolean;
}

/** Kubelets renew tokens at 80 % of their life of an hour or more: a minute is soon enough. */
const fileLifetime = 60_000;
/** Credentials that expire are renewed this much earlier, for requests under way and clocks that differ. */
const expiryLeeway = 10_000;

export function createAuthentication(config: ClusterConfig, clock: Clock): Authentication {
  const { credentials } = config;
  const files = new Map<string, Renewed<string>>();
  const fileText = (path: string): Promise<string> => {
    const renewed =
      files.get(path) ??
      createRenewed(
        clock,
        () => readFile(path, "utf8"),
        () => fileLifetime,
      );
    files.set(path, renewed);
    return renewed.get();
  };
  const pemText = (pem: Pem | undefined): Promise<string | undefined> =>
    pem === undefined ? Promise.resolve(undefined) : "data" in pem ? Promise.resolve(pem.data) : fileText(pem.file);
  const plugin =
    credentials.exec &&
    createRenewed(
      clock,
      () => runExecPlugin(credentials.exec!),
      (credential) => (credential.expiresAt ?? Infinity) - expiryLeeway - clock.now(),
    );
  const fixedHeaders = impersonationHeaders(config);
  let material: TlsMaterial = {};

  const authorization = async (credential: ExecCredential | undefined): Promise<string | undefined> => {
    if (credential) return credential.token && `Bearer ${credential.token}`;
    if (credentials.tokenFile) return `Bearer ${(await fileText(credentials.tokenFile)).trim()}`;
    if (credentials.token) return `Bearer ${credentials.token}`;
    if (!credentials.basic) return undefined;
    const { username, password } = credentials.basic;
    return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  };

  return {
    async headers() {
      const value = await authorization(await plugin?.get());
      return value ? { ...fixedHeaders, authorization: value } : fixedHeaders;
    },
    async tls() {
      const credential = await plugin?.get();
      const [ca, cert, key] = await Promise.all([
        pemText(config.certificateAuthority),
        credential?.clientCertificateData ?? pemText(credentials.clientCertificate?.certificate),
        credential?.clientKeyData ?? pemText(credentials.clientCertificate?.key),
      ]);
      if (ca !== material.ca || cert !== material.cert || key !== material.key) {
        material = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
      }
      return material;
    },
    refresh() {
      plugin?.forget();
      for (const file of files.values()) file.forget();
      return plugin !== undefined || credentials.tokenFile !== undefined;
    },
  };
}

function impersonationHeaders(config: ClusterConfig): Readonly<Record<string, string | string[]>> {
  const impersonate = config.credentials.impersonate;
  if (!impersonate) return {};
  return {
    "impersonate-user": impersonate.user,
    ...(impersonate.uid && { "impersonate-uid": impersonate.uid }),
    ...(impersonate.groups && { "impersonate-group": [...impersonate.groups] }),
  };
}

interface Renewed<T> {
  get(): Promise<T>;
  forget(): void;
}

/** Loads once for all who ask at the same time, keeps the value for `lifetime(value)` milliseconds, never a failure. */
function createRenewed<T>(clock: Clock, load: () => Promise<T>, lifetime: (value: T) => number): Renewed<T> {
  let current: { value: Promise<T>; until: number } | undefined;
  return {
    get() {
      if (current && clock.monotonic() < current.until) return current.value;
      const loading = { value: load(), until: Infinity };
      current = loading;
      loading.value.then(
        (value) => void (loading.until = clock.monotonic() + lifetime(value)),
        () => {
          if (current === loading) current = undefined;
        },
      );
      return loading.value;
    },
    forget() {
      current = undefined;
    },
  };
}
