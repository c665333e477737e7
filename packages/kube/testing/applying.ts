import { createLogger } from "@moco-ts/base";
import { Applier } from "../apply/applier.ts";
import type { Client } from "../rest/client.ts";
import { testClient, testNamespace } from "./cluster.ts";
import { recording } from "./recording.ts";

/** An applier as a process has it, with what it asks of the server and the lines that it logs. */
export function testApplier(client: Client, fieldManager = "moco-controller") {
  const { client: recorded, calls } = recording(client);
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  return { applier: new Applier({ client: recorded, fieldManager, logger }), calls, lines };
}

/** The same, with a namespace of its own. */
export async function applying() {
  const client = await testClient();
  return { client, namespace: await testNamespace(client), ...testApplier(client) };
}
