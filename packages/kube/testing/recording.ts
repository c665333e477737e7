import type { Client } from "../rest/client.ts";

/** The same client, and the names of the calls that are made on it: for tests that nothing is asked of the server. */
export function recording(client: Client): { client: Client; calls: string[] } {
  const calls: string[] = [];
  const recorded = new Proxy(client, {
    get(target, name: keyof Client) {
      const method = target[name];
      return (...parameters: never[]) => {
        calls.push(name);
        return (method as (...all: never[]) => unknown).apply(target, parameters);
      };
    },
  });
  return { client: recorded, calls };
}
