import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Authority, type LeafOptions } from "../pki/authority.ts";
import { kubeconfig } from "../pki/kubeconfig.ts";

/** Where the files of a control plane are. All of them lie in one directory, which can be removed as a whole. */
export interface ControlPlaneFiles {
  directory: string;
  etcdData: string;
  logs: string;
  authority: string;
  authorityKey: string;
  apiServerCertificate: string;
  apiServerKey: string;
  serviceAccountKey: string;
  serviceAccountPublicKey: string;
  auditPolicy: string;
  auditLog: string;
  controllerManagerKubeconfig: string;
  schedulerKubeconfig: string;
  /** For people and tests: a member of system:masters. */
  kubeconfig: string;
}

export function controlPlaneFiles(directory: string): ControlPlaneFiles {
  const inside = (...parts: string[]) => join(directory, ...parts);
  return {
    directory,
    etcdData: inside("etcd"),
    logs: inside("logs"),
    authority: inside("pki", "ca.crt"),
    authorityKey: inside("pki", "ca.key"),
    apiServerCertificate: inside("pki", "kube-apiserver.crt"),
    apiServerKey: inside("pki", "kube-apiserver.key"),
    serviceAccountKey: inside("pki", "service-account.key"),
    serviceAccountPublicKey: inside("pki", "service-account.pub"),
    auditPolicy: inside("audit-policy.json"),
    auditLog: inside("audit.log"),
    controllerManagerKubeconfig: inside("pki", "kube-controller-manager.kubeconfig"),
    schedulerKubeconfig: inside("pki", "kube-scheduler.kubeconfig"),
    kubeconfig: inside("kubeconfig"),
  };
}

export interface WriteOptions {
  name: string;
  server: string;
  /** Names and addresses that the API server is called by. */
  hosts: string[];
}

const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata" }],
};

/**
 * Writes certificates, keys and kubeconfigs, unless they are there. Returns the authority, for further certificates.
 * The administrator's kubeconfig is the last file: if it is there, all of them are.
 */
export async function ensureControlPlaneFiles(files: ControlPlaneFiles, options: WriteOptions): Promise<Authority> {
  if (existsSync(files.kubeconfig)) {
    const [certificate, privateKey] = await Promise.all([
      readFile(files.authority, "utf8"),
      readFile(files.authorityKey, "utf8"),
    ]);
    return Authority.load({ certificate, privateKey });
  }
  const { name, server, hosts } = options;
  for (const directory of [files.etcdData, files.logs, join(files.directory, "pki")]) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  }
  const authority = await Authority.create(`${name}-ca`);
  const own = await authority.keyPair();
  const serving = await authority.issue({ commonName: "kube-apiserver", organization: "system:masters", hosts });
  const serviceAccount = generateKeyPairSync("ec", {
    namedCurve: "prime256v1",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const contents: Array<[path: string, text: string]> = [
    [files.authority, own.certificate],
    [files.authorityKey, own.privateKey],
    [files.apiServerCertificate, serving.certificate],
    [files.apiServerKey, serving.privateKey],
    [files.serviceAccountKey, serviceAccount.privateKey],
    [files.serviceAccountPublicKey, serviceAccount.publicKey],
    [files.auditPolicy, JSON.stringify(auditPolicy)],
  ];
  for (const [path, text] of contents) {
    await writeFile(path, text, { mode: 0o600 });
  }
  const users: Array<[path: string, user: LeafOptions]> = [
    [files.controllerManagerKubeconfig, { commonName: "system:kube-controller-manager" }],
    [files.schedulerKubeconfig, { commonName: "system:kube-scheduler" }],
    [files.kubeconfig, { commonName: "administrator", organization: "system:masters" }],
  ];
  for (const [path, user] of users) {
    await writeKubeconfig(path, { name, server, authority, user });
  }
  return authority;
}

export interface UserOptions {
  /** The cluster's name. */
  name: string;
  server: string;
  authority: Authority;
  user: LeafOptions;
}

/** Issues a client certificate and writes a kubeconfig with it. */
export async function writeKubeconfig(path: string, options: UserOptions): Promise<void> {
  const { name, server, authority, user } = options;
  const client = await authority.issue(user);
  await writeFile(path, kubeconfig({ name, server, authority: authority.certificate, client }), { mode: 0o600 });
}
