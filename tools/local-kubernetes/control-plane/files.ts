import { generateKeyPairSync } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Authority } from "../pki/authority.ts";
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

/** Writes certificates, keys and the administrator's kubeconfig. Returns the authority, for further certificates. */
export async function writeControlPlaneFiles(files: ControlPlaneFiles, options: WriteOptions): Promise<Authority> {
  const { name, server, hosts } = options;
  for (const directory of [files.etcdData, files.logs, join(files.directory, "pki")]) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  }
  const authority = await Authority.create(`${name}-ca`);
  const own = await authority.keyPair();
  const serving = await authority.issue({ commonName: "kube-apiserver", organization: "system:masters", hosts });
  const administrator = await authority.issue({ commonName: "administrator", organization: "system:masters" });
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
    [files.kubeconfig, kubeconfig({ name, server, authority: own.certificate, client: administrator })],
  ];
  for (const [path, text] of contents) {
    await writeFile(path, text, { mode: 0o600 });
  }
  return authority;
}
