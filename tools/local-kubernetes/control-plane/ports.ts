import { randomInt } from "node:crypto";
import { createServer } from "node:net";

export interface ControlPlanePorts {
  etcd: number;
  etcdPeer: number;
  etcdMetrics: number;
  apiServer: number;
  controllerManager: number;
  scheduler: number;
}

/** The ports that the field knows, for a control plane in a network namespace of its own. */
export const usualPorts: ControlPlanePorts = {
  etcd: 2379,
  etcdPeer: 2380,
  etcdMetrics: 2381,
  apiServer: 6443,
  controllerManager: 10257,
  scheduler: 10259,
};

/** Ports for a control plane that shares the loopback address with others. */
export async function freeControlPlanePorts(): Promise<ControlPlanePorts> {
  const names = Object.keys(usualPorts) as Array<keyof ControlPlanePorts>;
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, ports[index]])) as unknown as ControlPlanePorts;
}

/**
 * Finds free TCP ports on the loopback address.
 *
 * They are taken from below the range that the kernel gives to outgoing connections: a server that is stopped for a
 * while finds its port still free when it comes back.
 */
async function freePorts(count: number): Promise<number[]> {
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
