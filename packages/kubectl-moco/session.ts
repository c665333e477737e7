import { access } from "node:fs/promises";
import {
  connect,
  createPodStreams,
  inClusterConfig,
  kubeconfigPaths,
  loadKubeconfig,
  type Client,
  type ClusterConfig,
  type KubeconfigOptions,
  type PodStreams,
} from "@moco-ts/kube";
import { CodedError } from "@moco-ts/base";
import { explain, Failure } from "./failure.ts";
import { kubeconfigOptionsOf, type GlobalFlags } from "./global-flags.ts";

/** The way to a cluster. */
export interface Session {
  readonly client: Client;
  readonly streams: PodStreams;
  /** Where the flags and the context say that clusters are. */
  readonly namespace: string;
}

/** Connects as the flags say, runs `use`, and hangs up. */
export async function withSession<T>(
  flags: GlobalFlags,
  environment: KubeconfigOptions["environment"],
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const config = await findConfig(kubeconfigOptionsOf(flags, environment));
  const options = { userAgent: "kubectl-moco", qps: Infinity, timeout: flags.requestTimeout || Infinity };
  const client = connect(config, options);
  const streams = createPodStreams(config, options);
  try {
    return await use({ client, streams, namespace: config.namespace });
  } catch (error) {
    throw explain(error, config.server);
  } finally {
    await Promise.all([client.close(), streams.close()]);
  }
}

/** As kubectl does it: files first, and in a Pod without any its service account. */
async function findConfig(options: KubeconfigOptions): Promise<ClusterConfig> {
  const { environment, overrides } = options;
  try {
    const isInPod = environment["KUBERNETES_SERVICE_HOST"] && !overrides?.server && !(await anyExists(options));
    if (!isInPod) return await loadKubeconfig(options);
    const config = await inClusterConfig({ environment });
    return { ...config, namespace: overrides?.namespace || config.namespace };
  } catch (error) {
    if (!(error instanceof CodedError) || !error.code.startsWith("KUBECONFIG_")) throw error;
    const advice = "Name a file with --kubeconfig or $KUBECONFIG, and one of its contexts with --context.";
    throw new Failure(error.message, { advice, cause: error });
  }
}

async function anyExists(options: KubeconfigOptions): Promise<boolean> {
  const found = await Promise.all(
    kubeconfigPaths(options).map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
