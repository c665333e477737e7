/** For tests: a network between two that can be made to swallow everything, as one that was cut does. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Proxy {
  readonly port: number;
  /** Nothing passes any more, and nobody is told. With `after`: once so many more bytes have come from the target. */
  freeze(after?: number): void;
  thaw(): void;
  close(): void;
}

export async function startProxy(targetPort: number): Promise<Proxy> {
  let allowance = Infinity;
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  /** Now, or when all passes again. */
  const pass = (deliver: () => void): void => void (allowance > 0 ? deliver() : held.push(deliver));

  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client);
    pass(() => {
      const target = connect({ port: targetPort, host: "127.0.0.1", noDelay: true });
      sockets.add(target);
      forward(client, target, pass);
      forward(target, client, (deliver, bytes = 0) => {
        pass(deliver);
        allowance -= bytes;
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    freeze: (after = 0) => void (allowance = after),
    thaw() {
      allowance = Infinity;
      for (const deliver of held.splice(0)) deliver();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function forward(from: Socket, to: Socket, pass: (deliver: () => void, bytes?: number) => void): void {
  from.on("data", (chunk: Buffer) => pass(() => to.write(chunk), chunk.length));
  from.on("end", () => pass(() => to.end()));
  // The other side's end tells.
  from.on("error", () => pass(() => to.destroy()));
}
