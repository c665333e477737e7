/** For tests: a wire between a client and a server that can be cut, stalled and mended. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface TcpProxy {
  /** The server's URL, but over the wire. */
  readonly url: string;
  /** Breaks every connection with a reset and refuses new ones. */
  cut(): void;
  /** Keeps connections open and lets nothing through, as a host does that has vanished. */
  stall(): void;
  /** Lets new connections through. Those that were stalled stay so. */
  heal(): void;
  /** Breaks the connection that carries the server's `bytes`-th byte from now, right after that byte. */
  cutAfter(bytes: number): void;
  /** Lets no more than so many bytes per second through from the server on each connection. */
  slow(bytesPerSecond: number): void;
  close(): Promise<void>;
}

interface Wire {
  readonly near: Socket;
  readonly far: Socket;
  stalled: boolean;
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port, protocol } = new URL(target);
  const wires = new Set<Wire>();
  let state: "open" | "cut" | "stalled" = "open";
  let received = 0;
  let cutAt = Infinity;
  let speed = Infinity;

  const reset = (wire: Wire): void => {
    wire.near.resetAndDestroy();
    wire.far.destroy();
  };
  const server = createServer((near) => {
    if (state === "cut") {
      near.resetAndDestroy();
      return;
    }
    const wire: Wire = { near, far: connect(Number(port), hostname), stalled: state === "stalled" };
    const { far } = wire;
    wires.add(wire);
    for (const socket of [near, far]) {
      // What breaks on one side breaks on the other, which is all that there is to say about it.
      socket.on("error", () => undefined);
      socket.on("close", () => {
        wires.delete(wire);
        if (!wire.stalled) reset(wire);
      });
    }
    near.on("data", (chunk) => void (wire.stalled || far.write(chunk)));
    far.on("data", (chunk) => {
      if (wire.stalled) return;
      if (speed < Infinity) {
        far.pause();
        setTimeout(() => far.resume(), (chunk.length / speed) * 1000);
      }
      const room = cutAt - received;
      received += chunk.length;
      if (chunk.length < room) {
        near.write(chunk);
      } else {
        cutAt = Infinity;
        near.write(chunk.subarray(0, room), () => reset(wire));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `${protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      state = "cut";
      for (const wire of wires) reset(wire);
    },
    stall() {
      state = "stalled";
      for (const wire of wires) wire.stalled = true;
    },
    heal: () => void (state = "open"),
    slow: (bytesPerSecond) => void (speed = bytesPerSecond),
    cutAfter: (bytes) => void (cutAt = received + bytes),
    async close() {
      for (const wire of wires) reset(wire);
      server.close();
      await once(server, "close");
    },
  };
}
