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

/**
 * Requests of service accounts in a namespace that they had no right to make, each once: `get /api/v1/...`. What was allowed at
 * another time is none of these: an API server that has just started refuses everything until it has read the roles.
 */
export async function forbiddenRequests(auditLogPath: string, namespace: string): Promise<string[]> {
  const events = (part: string) => eventsOf(dirname(auditLogPath), part, `system:serviceaccount:${namespace}:`);
  const found = new Map<string, string>();
  for await (const event of events('"code":403')) {
    if (isForbidden(event)) found.set(rightOf(event), `${event.verb} ${event.requestURI}`);
  }
  if (found.size === 0) return [];
  for await (const event of events('decision":"allow"')) found.delete(rightOf(event));
  return [...found.values()];
}

/** All requests with the same right. */
function rightOf(event: AuditEvent): string {
  return `${usernameOf(event)} ${event.verb} ${event.requestURI?.replace(/\?.*/, "")}`;
}

function usernameOf({ impersonatedUser, user }: AuditEvent): string {
  return (impersonatedUser ?? user)?.username ?? "";
}

/** Only of lines with a certain text: parsing all of them takes seconds. */
async function* eventsOf(directory: string, part: string, accounts: string): AsyncGenerator<AuditEvent> {
  for await (const line of auditLines(directory)) {
    if (!line.includes(part)) continue;
    const event = JSON.parse(line) as AuditEvent;
    if (usernameOf(event).startsWith(accounts)) yield event;
  }
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
