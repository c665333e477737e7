import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Cluster } from "@moco-ts/local-kubernetes";

/** What the API server's audit log says of a request. */
interface AuditEvent {
  readonly user?: { readonly username?: string };
  readonly verb?: string;
  readonly requestURI?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const decision = "authorization.k8s.io/decision";

/** Requests of service accounts in a namespace that they had no right to make, each once: `get /api/v1/...`. */
export async function forbiddenRequests(cluster: Cluster, namespace: string): Promise<string[]> {
  if (cluster.auditLogPath === undefined) throw new Error(`cluster ${cluster.name} has no audit log`);
  const found = new Set<string>();
  for await (const line of auditLines(dirname(cluster.auditLogPath))) {
    // Most lines are none of these: parsing all of them takes seconds.
    if (!line.includes(`"${decision}":"forbid"`)) continue;
    const { user, verb, requestURI, annotations } = JSON.parse(line) as AuditEvent;
    const isOurs = user?.username?.startsWith(`system:serviceaccount:${namespace}:`);
    if (isOurs && annotations?.[decision] === "forbid") found.add(`${verb} ${requestURI}`);
  }
  return [...found];
}

/** Of all files: the API server begins a new one now and then. */
async function* auditLines(directory: string): AsyncGenerator<string> {
  const names = (await readdir(directory)).filter((name) => /^audit.*\.log$/.test(name));
  for (const name of names) yield* createInterface({ input: createReadStream(join(directory, name)) });
}

/** Fails a test whose programs asked for more than their chart gives them. */
export async function assertNothingForbidden(cluster: Cluster, namespace: string): Promise<void> {
  const requests = await forbiddenRequests(cluster, namespace);
  if (requests.length > 0) throw new Error(`the chart's roles forbid what was asked for: ${requests.join(", ")}`);
}
