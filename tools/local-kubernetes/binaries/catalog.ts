import { readFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { prepareCoreDns } from "./coredns.ts";

/** One go.mod of ours. It has no Go code: it pins the versions of the programs that are built from it. */
interface GoModule {
  directory: string;
  linkerFlags: string;
  /** Makes the folder to build in. Default: `directory`. */
  prepare?: (directory: string, temporary: string, signal?: AbortSignal) => Promise<string>;
}

/** A program that local-kubernetes gets, and the ways to do so. */
export interface Program {
  name: string;
  version: string;
  /** Programs of one release are cached, and built, together. */
  release: string;
  /** What to ask the program for its version. */
  versionArguments: string[];
  goModule: GoModule;
  goPackage: string;
  /** The official release: the program itself, or an archive (.tar.gz, .tgz) that has it. */
  downloadUrl: string;
  /** Where the SHA-256 of the download is published: alone, or in a list of `SUM  FILE` lines. */
  checksumUrl: string;
}

const architecture = arch() === "x64" ? "amd64" : arch();
export const platformName = `${platform()}-${architecture}`;

const goDirectory = join(import.meta.dirname, "..", "go");

// The go.mod files are the one place that says which version we use.
function requiredVersion(directory: string, module: string): string {
  const lines = readFileSync(join(directory, "go.mod"), "utf8").split("\n");
  const version = lines
    .map((line) =>
      line
        .trim()
        .replace(/^require /, "")
        .split(" "),
    )
    .find(([name]) => name === module)?.[1];
  if (version === undefined) {
    throw new Error(`${directory}/go.mod does not require ${module}`);
  }
  return version;
}

function kubernetesPrograms(): Program[] {
  const directory = join(goDirectory, "kubernetes");
  const version = requiredVersion(directory, "k8s.io/kubernetes");
  const [major, minor] = version.slice(1).split(".");
  const linkerFlags = Object.entries({ gitVersion: version, gitMajor: major, gitMinor: minor })
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(" ");
  const goModule = { directory, linkerFlags };

  const names = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet", "kubectl"];
  const programs = names.map((name): Program => {
    const downloadUrl = `https://dl.k8s.io/release/${version}/bin/linux/${architecture}/${name}`;
    return {
      name,
      version,
      release: `kubernetes-${version}`,
      versionArguments: name === "kubectl" ? ["version", "--client"] : ["--version"],
      goModule,
      goPackage: `k8s.io/kubernetes/cmd/${name}`,
      downloadUrl,
      checksumUrl: `${downloadUrl}.sha256`,
    };
  });

  const etcdPackage = "go.etcd.io/etcd/server/v3";
  const etcdVersion = requiredVersion(directory, etcdPackage);
  const etcdRelease = `https://github.com/etcd-io/etcd/releases/download/${etcdVersion}`;
  programs.push({
    name: "etcd",
    version: etcdVersion,
    release: `etcd-${etcdVersion}`,
    versionArguments: ["--version"],
    goModule,
    goPackage: etcdPackage,
    downloadUrl: `${etcdRelease}/etcd-${etcdVersion}-linux-${architecture}.tar.gz`,
    checksumUrl: `${etcdRelease}/SHA256SUMS`,
  });
  return programs;
}

function coreDns(): Program {
  const directory = join(goDirectory, "coredns");
  const goPackage = "github.com/coredns/coredns";
  const version = requiredVersion(directory, goPackage);
  const archive = `coredns_${version.slice(1)}_linux_${architecture}.tgz`;
  const downloadUrl = `https://github.com/coredns/coredns/releases/download/${version}/${archive}`;
  return {
    name: "coredns",
    version,
    release: `coredns-${version}`,
    versionArguments: ["-version"],
    goModule: { directory, linkerFlags: "", prepare: prepareCoreDns },
    goPackage,
    downloadUrl,
    checksumUrl: `${downloadUrl}.sha256`,
  };
}

/** No part of a cluster: what charts are installed with. */
function helm(): Program {
  const directory = join(goDirectory, "helm");
  const version = requiredVersion(directory, "helm.sh/helm/v4");
  const downloadUrl = `https://get.helm.sh/helm-${version}-linux-${architecture}.tar.gz`;
  return {
    name: "helm",
    version,
    release: `helm-${version}`,
    versionArguments: ["version", "--short"],
    goModule: { directory, linkerFlags: `-X helm.sh/helm/v4/internal/version.version=${version}` },
    goPackage: "helm.sh/helm/v4/cmd/helm",
    downloadUrl,
    checksumUrl: `${downloadUrl}.sha256sum`,
  };
}

export function catalog(): Map<string, Program> {
  return new Map([...kubernetesPrograms(), coreDns(), helm()].map((program) => [program.name, program]));
}
