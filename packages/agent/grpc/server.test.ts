import { connect as connectHttp2, constants } from "node:http2";
import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { Metrics, silentLogger } from "@moco-ts/base";
import { readCertificates } from "../certificates/files.ts";
import { decodeCloneRequest, type CloneRequest } from "../clone/request.ts";
import { makeCertificates, podHost } from "../testing/certificates.ts";
import { agentClient } from "../testing/client.ts";
import { cloneMethod } from "./descriptors.ts";
import { GrpcServer } from "./server.ts";
import { GrpcError, grpcCodes } from "./status.ts";

async function startServer(clone: (request: CloneRequest) => Promise<void> = () => Promise.resolve()) {
  const certificates = await makeCertificates();
  const metrics = new Metrics();
  const server = new GrpcServer({
    address: "127.0.0.1:0",
    certificates: await readCertificates(certificates.directory),
    caller: "moco-controller",
    methods: {
      [cloneMethod]: async (request) => {
        await clone(decodeCloneRequest(request));
        return new Uint8Array();
      },
    },
    metrics,
    logger: silentLogger,
  });
  const port = await server.listen();
  onTestFinished(() => server.close());
  return { server, port, certificates, metrics };
}

test("a request of another implementation is understood, and so is the answer", async () => {
  const requests: CloneRequest[] = [];
  const { port, certificates, metrics } = await startServer(async (request) => void requests.push(request));
  const call = await agentClient(port, certificates);
  const request = { host: "10.0.0.1", port: 33062, user: "ü", password: "p", init_user: "i", init_password: "j" };
  expect(await call({ ...request, boot_timeout: { seconds: 3600, nanos: 500_000_000 } })).toBeUndefined();
  expect(await call({})).toBeUndefined();
  expect(requests).toEqual([
    {
      host: "10.0.0.1",
      port: 33062,
      user: "ü",
      password: "p",
      initUser: "i",
      initPassword: "j",
      bootTimeout: 3_600_500,
    },
    { host: "", port: 0, user: "", password: "", initUser: "", initPassword: "", bootTimeout: undefined },
  ]);
  expect(await metrics.text()).toContain(
    'grpc_server_handled_total{grpc_type="unary",grpc_service="moco.Agent",grpc_method="Clone",grpc_code="OK"} 2',
  );
});

test("statuses and their texts arrive, whatever is in them", async () => {
  const { port, certificates } = await startServer(() => {
    throw new GrpcError(grpcCodes.failedPrecondition, "recipient is not empty: gtid=a:1-5,\nb:7 — 100%");
  });
  const call = await agentClient(port, certificates);
  expect(await call({})).toEqual({ code: 9, details: "recipient is not empty: gtid=a:1-5,\nb:7 — 100%" });
});

test("an error that nobody thought of is a status too", async () => {
  const { port, certificates } = await startServer(() => Promise.reject(new Error("oops")));
  expect(await (await agentClient(port, certificates))({})).toEqual({ code: 2, details: "oops" });
});

describe("who is let in", () => {
  test("only the controller, by its name", async () => {
    const { port, certificates } = await startServer();
    const other = await certificates.issueClient("moco-somebody");
    expect(await (await agentClient(port, certificates, other))({})).toEqual({
      code: 16,
      details: "invalid certificate: common name is not valid: moco-somebody",
    });
  });

  test("nobody with a certificate of another authority, or without one", async () => {
    const { port, certificates } = await startServer();
    const stranger = await (await makeCertificates()).issueClient("moco-controller");
    expect(await (await agentClient(port, certificates, stranger))({})).toMatchObject({ code: 14 });
    const socket = connectTls({
      port,
      host: "127.0.0.1",
      ca: certificates.authority,
      servername: podHost,
      ALPNProtocols: ["h2"],
    });
    const end = await new Promise<string>((resolve) => {
      socket.on("error", (error) => resolve(error.message)).on("close", () => resolve("closed"));
      socket.on("data", () => undefined);
    });
    expect(end).toMatch(/certificate required|closed|handshake failure/i);
  });
});

test("new certificates are shown and asked for from the next connection on", async () => {
  const { server, port, certificates } = await startServer();
  const before = await agentClient(port, certificates);
  expect(await before({})).toBeUndefined();
  const replaced = await certificates.replace();
  server.useCertificates(await readCertificates(replaced.directory));
  expect(await (await agentClient(port, replaced))({})).toBeUndefined();
  // Who is connected stays so.
  expect(await before({})).toBeUndefined();
  expect(await (await agentClient(port, certificates))({})).toMatchObject({ code: 14 });
});

describe("what is not as it should be", () => {
  async function post(path: string, headers: Record<string, string>, body: Buffer) {
    const { port, certificates } = await startServer();
    const { certificate, privateKey } = await certificates.issueClient("moco-controller");
    const session = connectHttp2(`https://127.0.0.1:${port}`, {
      ca: certificates.authority,
      cert: certificate,
      key: privateKey,
      servername: podHost,
    });
    onTestFinished(() => session.destroy());
    const stream = session.request({ ":path": path, ":method": "POST", ...headers });
    stream.end(body);
    return new Promise<Record<string, unknown>>((resolve) => stream.on("response", resolve));
  }
  const grpc = { "content-type": "application/grpc" };

  test("another protocol", async () => {
    expect(await post(cloneMethod, { "content-type": "application/json" }, Buffer.from("{}"))).toMatchObject({
      [constants.HTTP2_HEADER_STATUS]: 415,
    });
  });

  test("an unknown method", async () => {
    expect(await post("/moco.Agent/Explode", grpc, Buffer.alloc(5))).toMatchObject({ "grpc-status": "12" });
  });

  test("compression, an endless message, no message, and no message at all", async () => {
    expect(await post(cloneMethod, grpc, Buffer.from([1, 0, 0, 0, 0]))).toMatchObject({ "grpc-status": "12" });
    expect(await post(cloneMethod, grpc, Buffer.from([0, 255, 0, 0, 0]))).toMatchObject({ "grpc-status": "8" });
    expect(await post(cloneMethod, grpc, Buffer.from([0, 0, 0, 0, 1, 255]))).toMatchObject({ "grpc-status": "2" });
    expect(await post(cloneMethod, grpc, Buffer.alloc(0))).toMatchObject({ "grpc-status": "3" });
  });
});
