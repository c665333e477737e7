import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Finds free TCP ports on the loopback address.
 *
 * They are taken from below the range that the kernel gives to outgoing connections: a server that is stopped for a
 * while finds its port still free when it comes back.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let attempt = 0; ports.size < count; attempt++) {
    if (attempt > 1_000) {
      throw new Error("found no free TCP port between 10000 and 32767 on 127.0.0.1");
    }
    const port = randomInt(10_000, 32_768);
    if (await isFree(port)) {
      ports.add(port);
    }
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once("error", () => resolve(false));
  server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}
