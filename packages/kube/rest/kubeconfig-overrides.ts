import { resolve } from "node:path";
import type { KubeconfigCluster, KubeconfigUser } from "./kubeconfig-file.ts";

/** What kubectl's flags of the same names say. Paths are relative to the working directory. */
export interface KubeconfigOverrides {
  /** Names of entries in the files. */
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
  readonly server?: string | undefined;
  readonly certificateAuthority?: string | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly token?: string | undefined;
  readonly as?: string | undefined;
  readonly asUid?: string | undefined;
  readonly asGroups?: readonly string[] | undefined;
}

export function overrideCluster(cluster: KubeconfigCluster, overrides: KubeconfigOverrides): KubeconfigCluster {
  const { server, certificateAuthority, tlsServerName, insecureSkipTlsVerify } = overrides;
  return {
    ...cluster,
    ...(server && { server }),
    ...(tlsServerName && { "tls-server-name": tlsServerName }),
    ...(insecureSkipTlsVerify && { "insecure-skip-tls-verify": true }),
    ...(certificateAuthority && {
      "certificate-authority": resolve(certificateAuthority),
      "certificate-authority-data": "",
    }),
  };
}

export function overrideUser(user: KubeconfigUser, overrides: KubeconfigOverrides): KubeconfigUser {
  const { clientCertificate, clientKey, token, as, asUid, asGroups } = overrides;
  return {
    // A token that is given replaces whatever else would have made one.
    ...(token ? { ...withoutToken(user), token } : user),
    ...(clientCertificate && {
      "client-certificate": resolve(clientCertificate),
      "client-certificate-data": "",
    }),
    ...(clientKey && { "client-key": resolve(clientKey), "client-key-data": "" }),
    // Groups of somebody else are not those of the one who is impersonated.
    ...(as && { as, "as-uid": "", "as-groups": [] }),
    ...(asUid && { "as-uid": asUid }),
    ...(asGroups && asGroups.length > 0 && { "as-groups": asGroups }),
  };
}

function withoutToken(user: KubeconfigUser): KubeconfigUser {
  const { exec: _exec, tokenFile: _file, username: _name, password: _password, ...rest } = user;
  return rest;
}
