import type { KubeconfigOptions } from "@moco-ts/kube";
import { Option, type Command } from "commander";
import { parseTime } from "./parse.ts";

/** kubectl's own flags, which all commands take. */
export interface GlobalFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly certificateAuthority?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly token?: string;
  readonly as?: string;
  readonly asUid?: string;
  readonly asGroup?: string[];
  /** Milliseconds; 0 for no limit. */
  readonly requestTimeout: number;
}

export function addGlobalFlags(program: Command): Command {
  return program
    .option("-n, --namespace <name>", "namespace of the cluster; default: the context's")
    .option("--context <name>", "context of the kubeconfig to use")
    .option("--kubeconfig <path>", "kubeconfig file to use; default: $KUBECONFIG, then ~/.kube/config")
    .option("--cluster <name>", "cluster of the kubeconfig to use")
    .option("--user <name>", "user of the kubeconfig to use")
    .option("-s, --server <url>", "address of the API server")
    .option("--certificate-authority <path>", "file with the authority of the API server's certificate")
    .option("--tls-server-name <name>", "name in the API server's certificate, if it is not the host's")
    .option("--insecure-skip-tls-verify", "accept any certificate of the API server")
    .option("--client-certificate <path>", "file with a client certificate")
    .option("--client-key <path>", "file with the key of the client certificate")
    .option("--token <token>", "bearer token for the API server")
    .option("--as <user>", "user to impersonate")
    .option("--as-uid <uid>", "UID to impersonate")
    .option("--as-group <group>", "group to impersonate; may be repeated", collect)
    .addOption(
      new Option("--request-timeout <duration>", "time for a single request; 0 for no limit")
        .argParser(parseTime)
        .default(30_000, "30s"),
    );
}

export function kubeconfigOptionsOf(
  flags: GlobalFlags,
  environment: KubeconfigOptions["environment"],
): KubeconfigOptions {
  const { kubeconfig, context, asGroup, requestTimeout: _timeout, ...overrides } = flags;
  return { environment, path: kubeconfig, context, overrides: { ...overrides, asGroups: asGroup } };
}

function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}
