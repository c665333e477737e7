import { Agent } from "node:https";
import { connect } from "node:tls";
import { describe, expect, test } from "vitest";
import { loopbackCertificate, reviewOf, send, testWebhooks } from "../testing/webhooks.ts";
import type { ConfigMap } from "../types/generated/index.ts";
import { allow, forbid, refuse } from "./admission.ts";

const json = { "content-type": "application/json" };

async function serving(options: Parameters<typeof testWebhooks>[0] = {}) {
  const webhooks = await testWebhooks(options);
  webhooks.server.validating<ConfigMap>("/validate", ({ object }) =>
    object?.data?.["bad"] ? forbid("no bad data") : allow(["a warning"]),
  );
  webhooks.server.mutating<ConfigMap>("/mutate", ({ object }) => {
    if (object === undefined) return allow();
    object.data = { ...object.data, added: "yes" };
    return { object };
  });
  webhooks.server.validating("/throw", () => {
    throw new Error("the handler broke");
  });
  webhooks.server.validating("/hang", () => new Promise(() => undefined));
  const { port, stopped } = await webhooks.start();
  const ca = webhooks.certificate.authorities;
  const post = (path: string, body: string, headers: object = json) =>
    send({ port, ca, path, method: "POST", headers: { ...headers } }, body);
  return { ...webhooks, port, stopped, ca, post };
}

function responseIn(body: string): Record<string, unknown> {
  const review = JSON.parse(body);
  expect(review).toMatchObject({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" });
  return review.response;
}

describe("an AdmissionReview is answered with", () => {
  test("a yes and its warnings", async () => {
    const { post } = await serving();
    const { status, body, headers } = await post("/validate", reviewOf({ object: { data: {} } }));
    expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
    expect(responseIn(body)).toEqual({ uid: "u-1", allowed: true, warnings: ["a warning"] });
  });

  test("a no and its reason", async () => {
    const { post } = await serving();
    const { body } = await post("/validate", reviewOf({ object: { data: { bad: "1" } } }));
    const status = { code: 403, reason: "Forbidden", message: "no bad data" };
    expect(responseIn(body)).toEqual({ uid: "u-1", allowed: false, status });
  });

  test("the fields that are wrong", async () => {
    const { server, port, ca } = await serving();
    const cause = { reason: "FieldValueInvalid", field: "spec.replicas", message: "must be odd" };
    server.validating("/fields", () => refuse([cause]));
    const { body } = await send({ port, ca, path: "/fields", method: "POST", headers: json }, reviewOf({ object: {} }));
    expect(responseIn(body)).toMatchObject({
      allowed: false,
      status: { code: 422, reason: "Invalid", message: "spec.replicas: must be odd", details: { causes: [cause] } },
    });
  });

  test("a patch that holds only what the handler changed, though it changed the object in place", async () => {
    const { post } = await serving();
    const { body } = await post("/mutate", reviewOf({ object: { data: { a: "1" } } }));
    const { patchType, patch } = responseIn(body);
    expect(patchType).toBe("JSONPatch");
    const operations = JSON.parse(Buffer.from(patch as string, "base64").toString());
    expect(operations).toEqual([{ op: "add", path: "/data/added", value: "yes" }]);
  });

  test("no patch if nothing changed", async () => {
    const { post } = await serving();
    const { body } = await post("/mutate", reviewOf({ object: { data: { added: "yes" } } }));
    expect(responseIn(body)).toEqual({ uid: "u-1", allowed: true });
  });

  test("the message of what a handler threw, and no stack", async () => {
    const { post, lines } = await serving();
    const { status, body } = await post("/throw", reviewOf({ object: {} }));
    expect(status).toBe(200);
    expect(responseIn(body)).toMatchObject({ allowed: false, status: { code: 500, message: "the handler broke" } });
    expect(body).not.toContain("server.test.ts");
    expect(lines.join("")).toContain("the handler broke");
  });

  test("an error before the API server gives up waiting", async () => {
    const { post } = await serving();
    const { body } = await post("/hang?timeout=100ms", reviewOf({ object: {} }));
    expect(responseIn(body)).toMatchObject({ allowed: false, status: { code: 504, reason: "Timeout" } });
  });
});

describe("what is no AdmissionReview is refused:", () => {
  test.each([
    ["malformed JSON", "/validate", "{", json, 400],
    ["JSON of another kind", "/validate", '{"kind":"Pod"}', json, 400],
    ["null", "/validate", "null", json, 400],
    ["no request in it", "/validate", '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}', json, 400],
    ["another content type", "/validate", reviewOf({}), { "content-type": "text/plain" }, 415],
    ["an unknown path", "/nowhere", reviewOf({}), json, 404],
  ])("%s", async (_, path, body, headers, expected) => {
    const { post } = await serving();
    const answer = await post(path, body, headers);
    expect(answer.status).toBe(expected);
    expect(answer.body).not.toMatch(/\n\s+at /);
  });

  test("another method", async () => {
    const { port, ca } = await serving();
    expect((await send({ port, ca, path: "/validate", method: "GET" })).status).toBe(405);
  });
});

describe("a body of 10 MB gets a clean 413", () => {
  const large = Buffer.alloc(10_000_000, "x");

  test("before it is read, if it says how long it is", async () => {
    const { port, ca, post } = await serving();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { ...json, "content-length": large.length };
    const answer = await send({ port, ca, agent, path: "/validate", method: "POST", headers }, large);
    expect(answer).toMatchObject({ status: 413, body: "the body is larger than 7340032 bytes" });
    expect((await post("/validate", reviewOf({ object: {} }))).status).toBe(200);
    agent.destroy();
  });

  test("as soon as it is too much, if it doesn't", async () => {
    const { port, ca } = await serving({ maximumBody: 1000 });
    const answer = await send(
      { port, ca, path: "/validate", method: "POST", headers: { ...json, "transfer-encoding": "chunked" } },
      large,
    );
    expect(answer).toMatchObject({ status: 413, body: "the body is larger than 1000 bytes" });
  });

  test("and one without end is cut off", async () => {
    const { port, ca } = await serving();
    const socket = connect({ port, host: "127.0.0.1", ca });
    // The reset that this test is about.
    socket.on("error", () => undefined);
    socket.write("POST /validate HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\n");
    socket.write("transfer-encoding: chunked\r\n\r\n");
    const mebibyte = `100000\r\n${"x".repeat(0x100000)}\r\n`;
    let sent = 0;
    for (; sent < 200 && !socket.destroyed; sent++) {
      await new Promise((resolve) => socket.write(mebibyte, resolve));
    }
    expect(sent).toBeLessThan(100);
  });
});

test("a body that never comes ends with the deadline", async () => {
  const { port, ca } = await serving();
  const headers = { ...json, "content-length": 100 };
  const answer = send({ port, ca, path: "/validate?timeout=100ms", method: "POST", headers });
  await expect(answer).resolves.toMatchObject({ status: 408 });
});

test("health is served", async () => {
  const { port, ca } = await serving();
  expect(await send({ port, ca, path: "/healthz" })).toMatchObject({ status: 200, body: "ok" });
});

test("requests are counted and timed under the names that dashboards know", async () => {
  const { post, metrics } = await serving();
  await post("/validate", reviewOf({ object: {} }));
  await post("/validate", "{");
  const text = await metrics.text();
  expect(text).toContain('controller_runtime_webhook_requests_total{webhook="/validate",code="200"} 1');
  expect(text).toContain('controller_runtime_webhook_requests_total{webhook="/validate",code="400"} 1');
  expect(text).toContain('controller_runtime_webhook_latency_seconds_count{webhook="/validate"} 2');
  expect(text).toContain('controller_runtime_webhook_requests_in_flight{webhook="/validate"} 0');
});

describe("TLS", () => {
  test("older than 1.2 is refused", async () => {
    const { port, ca } = await serving();
    const ended = new Promise<string>((resolve) => {
      const socket = connect({ port, host: "127.0.0.1", ca, minVersion: "TLSv1", maxVersion: "TLSv1.1" });
      socket.on("error", (error) => resolve(error.message));
      socket.on("secureConnect", () => resolve("connected"));
    });
    expect(await ended).not.toBe("connected");
  });

  test("a new certificate is shown to new connections, and old connections live on", async () => {
    const { port, ca, current } = await serving();
    const options = { port, path: "/validate", method: "POST", headers: json };
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca });
    const review = reviewOf({ object: {} });
    expect((await send({ ...options, agent }, review)).status).toBe(200);

    const next = await loopbackCertificate();
    current.set(next);
    expect((await send({ ...options, agent }, review)).status).toBe(200);
    expect((await send({ ...options, ca: next.authorities }, review)).status).toBe(200);
    await expect(send({ ...options, ca }, review)).rejects.toThrow("unable to verify");
    agent.destroy();
  });
});

describe("at the end", () => {
  test("requests under way are answered, idle connections are closed, and nobody new is let in", async () => {
    const webhooks = await testWebhooks({ shutdownTimeout: 60_000 });
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    webhooks.server.validating("/slow", async () => {
      arrived.resolve();
      await released.promise;
      return allow();
    });
    const { port, stopped } = await webhooks.start();
    const agent = new Agent({ keepAlive: true });
    const options = { port, agent, ca: webhooks.certificate.authorities, method: "POST", headers: json };
    await send({ ...options, path: "/healthz" });
    const unused = connect({ port, host: "127.0.0.1", ca: webhooks.certificate.authorities });
    await new Promise((resolve) => unused.once("secureConnect", resolve));
    const slow = send({ ...options, path: "/slow" }, reviewOf({ object: {} }));
    await arrived.promise;
    webhooks.stop();
    await expect(send({ ...options, agent: new Agent(), path: "/healthz" })).rejects.toThrow("ECONNREFUSED");
    released.resolve();
    expect(responseIn((await slow).body)).toMatchObject({ allowed: true });
    expect((await slow).headers["connection"]).toBe("close");
    await stopped;
    agent.destroy();
  });

  test("requests that don't end are cut off after a while", async () => {
    const { server, post, stop, stopped } = await serving({ shutdownTimeout: 50 });
    const arrived = Promise.withResolvers<void>();
    server.validating("/arrive", () => {
      arrived.resolve();
      return new Promise(() => undefined);
    });
    const hanging = post("/arrive", reviewOf({ object: {} })).catch((error: Error) => error.message);
    await arrived.promise;
    stop();
    await stopped;
    expect(await hanging).toContain("socket hang up");
  });
});

test("a port that is taken is an error at once", async () => {
  const { port } = await serving();
  const second = await testWebhooks({ port });
  await expect(second.start()).rejects.toThrow("EADDRINUSE");
});
