import type { ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";

/**
 * Who is connected, and who waits for an answer. Node's own closeIdleConnections leaves out those that have not asked
 * anything yet, and clients like to have some of these in reserve.
 */
export class Connections {
  readonly #all = new Set<Socket>();
  readonly #secure = new Set<Socket>();
  readonly #waiting = new Set<Socket>();
  #closing = false;

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => track(this.#all, socket));
    server.on("secureConnection", (socket: Socket) => {
      if (this.#closing) socket.destroy();
      else track(this.#secure, socket);
    });
  }

  /** Call for each request: its connection is waited for until it is answered. */
  waits(socket: Socket, response: ServerResponse): void {
    this.#waiting.add(socket);
    response.once("close", () => this.#waiting.delete(socket));
  }

  /** Closes those that wait for nothing, and those whose handshake is not over yet as soon as it is. */
  closeIdle(): void {
    this.#closing = true;
    for (const socket of this.#secure) if (!this.#waiting.has(socket)) socket.destroy();
  }

  closeAll(): void {
    for (const socket of this.#all) socket.destroy();
  }
}

function track(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
}
