import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Readable, type Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { answerStatus, startHttpServer } from "../testing/http-server.ts";
import { createPodStreams, type PodStreams } from "./pod-streams.ts";

const pod = { namespace: "default", name: "web-0" };
const never = new AbortController().signal;
const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3 };

/** What a kubelet says through the API server: the channel's number, then bytes, in one frame. */
function frame(channel: keyof typeof channels, content: string): Buffer {
  const payload = Buffer.concat([Buffer.from([channels[channel]]), Buffer.from(content)]);
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([0x82, ...length]), payload]);
}

/** The payload of a short frame from a client. */
function unmask(bytes: Buffer): Buffer {
  const mask = bytes.subarray(2, 6);
  return bytes.subarray(6, 6 + (bytes[1]! & 0x7f)).map((byte, index) => byte ^ mask[index % 4]!) as Buffer;
}

const status = (value: object): Buffer => frame("status", JSON.stringify(value));

async function startKubelet(serve: (socket: Duplex, request: IncomingMessage) => void): Promise<PodStreams> {
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
  const streams = createPodStreams({
    server: `http://127.0.0.1:${port}/prefix`,
    insecureSkipTlsVerify: true,
    credentials: { token: "t" },
    namespace: "default",
  });
  onTestFinished(async () => {
    await streams.close();
    server.close();
  });
  return streams;
}

test("a command gives its output and its exit code", async () => {
  let url = "";
  const streams = await startKubelet((socket, request) => {
    url = `${request.headers.authorization} ${request.url}`;
    const causes = [{ reason: "ExitCode", message: "3" }];
    socket.write(frame("stdout", "out"));
    socket.write(frame("stderr", "err"));
    socket.write(status({ status: "Failure", reason: "NonZeroExitCode", details: { causes } }));
  });
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await streams.exec(pod, "main", ["sh", "-c", "a b"], { stdout, stderr, signal: never });
  expect([code, await text(stdout), await text(stderr)]).toEqual([3, "out", "err"]);
  expect(url).toBe(
    "Bearer t /prefix/api/v1/namespaces/default/pods/web-0/exec?stdout=true&stderr=true&stdin=false&tty=false&command=sh&command=-c&command=a%20b&container=main",
  );
});

test("a command takes input", async () => {
  const streams = await startKubelet((socket) => {
    socket.once("data", (bytes: Buffer) => {
      socket.write(frame("stdout", unmask(bytes).subarray(1).toString().toUpperCase()));
      socket.write(status({ status: "Success" }));
    });
  });
  const stdout = new PassThrough();
  expect(await streams.exec(pod, "main", ["cat"], { stdin: Readable.from(["hello"]), stdout, signal: never })).toBe(0);
  expect(await text(stdout)).toBe("HELLO");
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

  const { config } = await startHttpServer((_request, response) => answerStatus(response, 403, "Forbidden"));
  const forbidden = createPodStreams({ ...config, insecureSkipTlsVerify: true });
  await expect(forbidden.exec(pod, "main", ["a"], { signal: never })).rejects.toThrow("403");
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
