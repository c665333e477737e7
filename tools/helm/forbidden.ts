/** Whether the rights that a chart gives are enough: the API server's audit log knows, whoever retried or hid it. */
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

interface AuditEvent {
  readonly user?: User;
  readonly impersonatedUser?: User;
  readonly verb?: string;
  readonly requestURI?: string;
  readonly responseStatus?: { readonly message?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

interface User {
  readonly username?: string;
}

/** Requests of service accounts in a namespace that they had no right to make, each once: `get /api/v1/...`. */
export async function forbiddenRequests(auditLogPath: string, namespace: string): Promise<string[]> {
  const found = new Set<string>();
  for await (const line of auditLines(dirname(auditLogPath))) {
    // Most lines are none of these: parsing all of them takes seconds.
    if (!line.includes('"code":403')) continue;
    const event = JSON.parse(line) as AuditEvent;
    const { username } = event.impersonatedUser ?? event.user ?? {};
    if (!username?.startsWith(`system:serviceaccount:${namespace}:`) || !isForbidden(event)) continue;
    found.add(`${event.verb} ${event.requestURI}`);
  }
  return [...found];
}

/** What admission refuses has the same code, and is something else. */
function isForbidden({ annotations = {}, responseStatus = {} }: AuditEvent): boolean {
  const isRefused = annotations["authorization.k8s.io/decision"] === "forbid";
  return isRefused || /attempting to grant RBAC permissions not currently held/.test(responseStatus.message ?? "");
}

/** Of all files: the API server begins a new one now and then. */
async function* auditLines(directory: string): AsyncGenerator<string> {
  const names = (await readdir(directory)).filter((name) => /^audit.*\.log$/.test(name));
  for (const name of names) yield* createInterface({ input: createReadStream(join(directory, name)) });
}
