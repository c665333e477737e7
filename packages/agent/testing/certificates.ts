/** For tests: the certificates of a Pod, and those of who calls it. */
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createAuthority, issueLeaf, type KeyPair } from "@moco-ts/kube";

export const podHost = "moco-test-0.moco-test.default.svc";

export interface TestCertificates {
  /** As the kubelet mounts the Secret. */
  readonly directory: string;
  readonly authority: string;
  /** A client's certificate of the same authority. */
  issueClient(commonName: string): Promise<KeyPair>;
  /** Puts a new server certificate in place, of a new authority, as the kubelet does. */
  replace(): Promise<TestCertificates>;
}

export async function makeCertificates(directory?: string): Promise<TestCertificates> {
  const mounted = directory ?? (await mkdtemp(join(tmpdir(), "certificates-")));
  if (directory === undefined) onTestFinished(() => rm(mounted, { recursive: true }));
  await chmod(mounted, 0o755);
  const validity = { now: Date.now(), lifetime: 3_600_000 };
  const authority = await createAuthority("moco-grpc-ca", validity);
  const request = { commonName: "moco-agent", dnsNames: [`*.${podHost.split(".").slice(1).join(".")}`] };
  const server = await issueLeaf(authority, { ...request, usages: ["server"] }, validity);
  await mount(mounted, {
    "ca.crt": authority.certificate,
    "tls.crt": server.certificate,
    "tls.key": server.privateKey,
  });
  return {
    directory: mounted,
    authority: authority.certificate,
    issueClient: (commonName) => issueLeaf(authority, { commonName, usages: ["client"] }, validity),
    replace: () => makeCertificates(mounted),
  };
}

/** A new directory, and a link that is moved over the old one: readers see all of one or all of the other. */
async function mount(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  const version = await mkdtemp(join(directory, "..version-"));
  await chmod(version, 0o755);
  await mkdir(version, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(version, name), text);
  const link = join(directory, "..data_tmp");
  await symlink(version.slice(directory.length + 1), link);
  await rename(link, join(directory, "..data"));
  for (const name of Object.keys(files)) {
    // There since the first time.
    await symlink(join("..data", name), join(directory, name)).catch(() => undefined);
  }
}
