import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Readable, type Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { SimulatedClock } from "@moco-ts/base";
import { expect, onTestFinished, test, vi } from "vitest";
import { answerStatus, startHttpServer } from "../testing/http-server.ts";
import type { ConnectOptions } from "./connection.ts";
import type { Terminal } from "./exec.ts";
import { createPodStreams, type PodStreams } from "./pod-streams.ts";

const pod = { namespace: "default", name: "web-0" };
const never = new AbortController().signal;
const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 };

/** What a kubelet says through the API server: the channel's number, then bytes, in one frame. */
function frame(channel: keyof typeof channels, content: string): Buffer {
  const payload = Buffer.concat([Buffer.from([channels[channel]]), Buffer.from(content)]);
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([0x82, ...length]), payload]);
}

/** The payloads of short frames from a client. */
function unmask(bytes: Buffer): Buffer[] {
  const payloads: Buffer[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const end = 6 + (rest[1]! & 0x7f);
    const mask = rest.subarray(2, 6);
    payloads.push(rest.subarray(6, end).map((byte, index) => byte ^ mask[index % 4]!) as Buffer);
    rest = rest.subarray(end);
  }
  return payloads;
}

const textOf = (stream: PassThrough): string => String(stream.read() ?? "");

const status = (value: object): Buffer => frame("status", JSON.stringify(value));

async function startKubelet(
  serve: (socket: Duplex, request: IncomingMessage) => void,
  options: ConnectOptions = {},
): Promise<PodStreams> {
  const server: Server = createServer();
  server.on("upgrade", (request, socket) => {
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n`,
    );
    // The test's own end is all that breaks it.
    socket.on("error", () => undefined);
    serve(socket, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const streams = createPodStreams(
    { server: `http://127.0.0.1:${port}/prefix`, credentials: { token: "t" }, namespace: "default" },
    options,
  );
  onTestFinished(async () => {
    await streams.close();
    server.close();
  });
  return streams;
}

test("a command gives its output and its exit code", async () => {
  let url = "";
  const streams = await startKubelet((socket, request) => {
    url = `${request.headers.authorization} ${request.headers["user-agent"]} ${request.url}`;
    const causes = [{ reason: "ExitCode", message: "3" }];
    socket.write(frame("stdout", "out"));
    socket.write(frame("stderr", "err"));
    socket.write(status({ status: "Failure", reason: "NonZeroExitCode", details: { causes } }));
  });
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await streams.exec(pod, "main", ["sh", "-c", "a b"], { stdout, stderr, signal: never });
  expect([code, textOf(stdout), textOf(stderr)]).toEqual([3, "out", "err"]);
  expect(url).toBe(
    "Bearer t moco-ts /prefix/api/v1/namespaces/default/pods/web-0/exec?container=main&stdin=false&stdout=true&stderr=true&tty=false&command=sh&command=-c&command=a+b",
  );
});

test("a command takes input and is told of its end", async () => {
  const received: Buffer[] = [];
  const streams = await startKubelet((socket) => {
    socket.on("data", (bytes: Buffer) => {
      received.push(...unmask(bytes));
      if (received.at(-1)![0] !== channels.close) return;
      const input = received.filter(([channel]) => channel === channels.stdin).map((each) => each.subarray(1));
      socket.write(frame("stdout", Buffer.concat(input).toString().toUpperCase()));
      socket.write(status({ status: "Success" }));
    });
  });
  const stdout = new PassThrough();
  const stdin = Readable.from(["hello ", "world"]);
  expect(await streams.exec(pod, "main", ["cat"], { stdin, stdout, signal: never })).toBe(0);
  expect(textOf(stdout)).toBe("HELLO WORLD");
  expect(received.at(-1)).toEqual(Buffer.from([channels.close, channels.stdin]));
});

test("a command with a terminal is told of its size", async () => {
  let url = "";
  const streams = await startKubelet((socket, request) => {
    url = request.url ?? "";
    socket.on("data", (bytes: Buffer) => {
      for (const message of unmask(bytes)) {
        socket.write(frame("stdout", `${message[0]} ${message.subarray(1).toString()}\n`));
        if (message.includes("100")) socket.write(status({ status: "Success" }));
      }
    });
  });
  const stdout = new PassThrough();
  const unsubscribe = vi.fn<() => void>();
  const terminal: Terminal = {
    onSize(callback) {
      callback({ columns: 80, rows: 24 });
      setImmediate(() => callback({ columns: 100, rows: 30 }));
      return unsubscribe;
    },
  };
  expect(await streams.exec(pod, "main", ["top"], { stdout, terminal, signal: never })).toBe(0);
  expect(textOf(stdout)).toBe('4 {"Width":80,"Height":24}\n4 {"Width":100,"Height":30}\n');
  expect(url).toContain("stdout=true&stderr=false&tty=true");
  expect(unsubscribe).toHaveBeenCalledOnce();
});

test("a command that could not be run, was cut or was given up is an error", async () => {
  const missing = { status: "Failure", code: 404, reason: "NotFound", message: "container not found" };
  const refusing = await startKubelet((socket) => socket.write(status(missing)));
  await expect(refusing.exec(pod, "main", ["a"], { signal: never })).rejects.toMatchObject({ code: "KUBE_NotFound" });

  const cutting = await startKubelet((socket) => socket.destroy());
  await expect(cutting.exec(pod, "main", ["a"], { signal: never })).rejects.toMatchObject({ code: "KUBE_CONNECTION" });

  const reached = vi.fn<() => void>();
  const silent = await startKubelet(reached);
  const stop = new AbortController();
  const pending = silent.exec(pod, "main", ["sleep"], { signal: stop.signal });
  await vi.waitFor(() => expect(reached).toHaveBeenCalled());
  const reason = new Error("enough");
  stop.abort(reason);
  await expect(pending).rejects.toBe(reason);
});

test("a refusal says why, and an upgrade that never comes can be given up", async () => {
  const { config } = await startHttpServer((_request, response) => answerStatus(response, 403, "Forbidden"));
  const forbidden = createPodStreams(config);
  await expect(forbidden.exec(pod, "main", ["a"], { signal: never })).rejects.toMatchObject({
    code: "KUBE_Forbidden",
    message: "the server says Forbidden",
  });

  const frozen = await startHttpServer(() => undefined);
  const stop = new AbortController();
  const pending = createPodStreams(frozen.config).exec(pod, "main", ["a"], { signal: stop.signal });
  await vi.waitFor(() => expect(frozen.requests).toHaveLength(1));
  const reason = new Error("enough");
  stop.abort(reason);
  await expect(pending).rejects.toBe(reason);
});

test("a peer that is silent for too long is given up", async () => {
  const clock = new SimulatedClock();
  // It is connected, but answers no ping.
  const reached = vi.fn<() => void>();
  const silent = await startKubelet(reached, { clock });
  const failure = silent.exec(pod, "main", ["sleep"], { signal: never }).catch((error: Error) => error);
  const outcome = vi.fn<(value: unknown) => void>();
  void failure.then(outcome);
  await vi.waitFor(async () => {
    await clock.advance(10_000);
    expect(outcome).toHaveBeenCalled();
  });
  expect(reached).toHaveBeenCalled();
  expect(await failure).toMatchObject({ code: "KUBE_CONNECTION", message: expect.stringContaining("no sign of life") });
});

test("logs come as bytes until they end", async () => {
  const server = await startHttpServer((request, response) => {
    if (request.url?.includes("container=none")) answerStatus(response, 400, "BadRequest");
    else response.write("one\n", () => response.end("two\n"));
  });
  const streams = createPodStreams(server.config);
  onTestFinished(() => streams.close());
  const log = streams.logs(pod, { container: "main", tailLines: 5, signal: never });
  expect(await text(Readable.from(log))).toBe("one\ntwo\n");
  expect(server.requests).toEqual(["GET /api/v1/namespaces/default/pods/web-0/log?container=main&tailLines=5"]);
  const refused = streams.logs(pod, { container: "none", signal: never });
  await expect(refused.next()).rejects.toMatchObject({ code: "KUBE_BadRequest" });
});
