import { describe, expect, test, vi } from "vitest";
import { createLogger, Metrics, SimulatedClock } from "@moco-ts/base";
import { answerJson, answerStatus, startHttpServer } from "../testing/http-server.ts";
import { ConfigMaps } from "../types/generated/index.ts";
import { ConnectionError, KubeError } from "./errors.ts";

const key = { namespace: "default", name: "one" };
const object = { metadata: key };
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no failure",
    (error: unknown) => error,
  );

describe("a server that asks to wait", () => {
  test.for([429, 503])("is asked again after its time (%i)", async (code) => {
    const server = await startHttpServer((_request, response, count) => {
      if (count < 2) answerStatus(response, code, "Busy", { "retry-after": "7" });
      else answerJson(response, object);
    });
    const clock = new SimulatedClock();
    const answer = server.client({ clock }).create(ConfigMaps, object);
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    await passTime(clock, 6_900);
    expect(server.requests).toHaveLength(1);
    await passTime(clock, 200);
    await vi.waitFor(() => expect(server.requests).toHaveLength(2));
    await passTime(clock, 7_100);
    expect(await answer).toEqual(object);
  });

  test("is believed when the wait is longer than the request may take", async () => {
    const server = await startHttpServer((_request, response) => {
      answerStatus(response, 429, "TooManyRequests", { "retry-after": "60" });
    });
    const error = await failure(server.client().get(ConfigMaps, key, { timeout: 1_000 }));
    expect(error).toBeInstanceOf(KubeError);
    expect(error).toMatchObject({ code: "KUBE_TooManyRequests", status: 429, retryAfter: 60_000 });
    expect(server.requests).toHaveLength(1);
  });

  test("is not asked for ever", async () => {
    const server = await startHttpServer((_request, response) => {
      answerStatus(response, 429, "TooManyRequests", { "retry-after": "0" });
    });
    expect(await failure(server.client().get(ConfigMaps, key))).toMatchObject({ code: "KUBE_TooManyRequests" });
    expect(server.requests).toHaveLength(6);
  });

  test("without a time is not asked again", async () => {
    const server = await startHttpServer((_request, response) => answerStatus(response, 503, "ServiceUnavailable"));
    expect(await failure(server.client().get(ConfigMaps, key))).toMatchObject({ code: "KUBE_ServiceUnavailable" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a request ends", () => {
  test("with its deadline, if the server never answers", async () => {
    const server = await startHttpServer(() => undefined);
    const error = await failure(server.client().get(ConfigMaps, key, { timeout: 50 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: "KUBE_CONNECTION", cause: { code: "DEADLINE_EXCEEDED" } });
  });

  test("with its deadline, if the server answers ever so slowly", async () => {
    const server = await startHttpServer((_request, response) => {
      response.write("{");
      const timer = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(timer));
    });
    expect(await failure(server.client().get(ConfigMaps, key, { timeout: 100 }))).toBeInstanceOf(ConnectionError);
  });

  test("with the caller's signal and its reason", async () => {
    const server = await startHttpServer(() => undefined);
    const stop = new AbortController();
    const pending = failure(server.client().get(ConfigMaps, key, { signal: stop.signal }));
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    const reason = new Error("enough");
    stop.abort(reason);
    expect(await pending).toBe(reason);
  });

  test("before it begins, with a signal that is already aborted", async () => {
    const server = await startHttpServer((_request, response) => answerJson(response, object));
    const reason = new Error("too late");
    expect(await failure(server.client().get(ConfigMaps, key, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(server.requests).toEqual([]);
  });

  test("when the client is closed", async () => {
    const server = await startHttpServer(() => undefined);
    const client = server.client();
    const pending = failure(client.get(ConfigMaps, key));
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    await client.close();
    expect(await pending).toBeInstanceOf(ConnectionError);
  });
});

describe("a connection that breaks", () => {
  test("is no failure of a read, once", async () => {
    const server = await startHttpServer((request, response, count) => {
      if (count === 0) request.socket.destroy();
      else answerJson(response, object);
    });
    expect(await server.client().get(ConfigMaps, key)).toEqual(object);
    expect(server.requests).toHaveLength(2);
  });

  test("leaves it to the caller whether to write again", async () => {
    const server = await startHttpServer((request) => request.socket.destroy());
    const error = await failure(server.client().create(ConfigMaps, object));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(server.requests).toHaveLength(1);
  });

  test("in the middle of an answer is an error, never half an object", async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"metadata":', () => response.destroy());
    });
    expect(await failure(server.client().get(ConfigMaps, key))).toBeInstanceOf(ConnectionError);
  });
});

describe("answers", () => {
  test("that are no Status become errors by their number", async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(502);
      response.end("<html>Bad Gateway</html>");
    });
    const error = await failure(server.client().get(ConfigMaps, key));
    expect(error).toMatchObject({ code: "KUBE_InternalError", status: 502 });
    expect((error as Error).message).toBe("GET /api/v1/namespaces/default/configmaps/one: the server answered 502");
  });

  test("that are not JSON are errors that don't quote them", async () => {
    const server = await startHttpServer((_request, response) => response.end("secret, but not JSON"));
    const error = await failure(server.client().get(ConfigMaps, key));
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).not.toContain("secret");
  });

  test("with warnings are logged, each text once", async () => {
    const warning = '299 - "v1 is \\"deprecated\\"", 299 - "unknown field"';
    const server = await startHttpServer((_request, response) =>
      answerJson(response, object, { headers: { warning } }),
    );
    const lines: string[] = [];
    const logger = createLogger({ destination: { write: (line: string) => void lines.push(line) } });
    const client = server.client({ logger });
    await client.get(ConfigMaps, key);
    await client.get(ConfigMaps, key);
    expect(lines.map((line) => (JSON.parse(line) as { warning: string }).warning)).toEqual([
      'v1 is "deprecated"',
      "unknown field",
    ]);
  });

  test("are counted and timed", async () => {
    const server = await startHttpServer((_request, response, count) => {
      if (count === 0) answerJson(response, object);
      else answerStatus(response, 404, "NotFound");
    });
    const metrics = new Metrics();
    const client = server.client({ metrics });
    await client.get(ConfigMaps, key);
    await failure(client.get(ConfigMaps, key));
    await client.close();
    await failure(client.create(ConfigMaps, object));
    const host = new URL(server.config.server).host;
    const text = await metrics.text();
    for (const [code, method] of [
      ["200", "GET"],
      ["404", "GET"],
      ["<error>", "POST"],
    ] as const) {
      expect(text).toContain(`rest_client_requests_total{code="${code}",host="${host}",method="${method}"} 1`);
    }
    expect(text).toContain(`rest_client_request_duration_seconds_count{verb="GET",host="${host}"} 2`);
  });
});

describe("limits", () => {
  test("no more requests are under way than allowed", async () => {
    let underWay = 0;
    let most = 0;
    const server = await startHttpServer((_request, response) => {
      most = Math.max(most, ++underWay);
      setTimeout(() => {
        underWay--;
        answerJson(response, object);
      }, 10);
    });
    const client = server.client({ concurrency: 3 });
    await Promise.all(Array.from({ length: 30 }, () => client.get(ConfigMaps, key)));
    expect(most).toBe(3);
    expect(server.requests).toHaveLength(30);
  });

  test("connections are kept alive", async () => {
    const ports = new Set<number | undefined>();
    const server = await startHttpServer((request, response) => {
      ports.add(request.socket.remotePort);
      answerJson(response, object);
    });
    const client = server.client();
    for (let count = 0; count < 10; count++) await client.get(ConfigMaps, key);
    // A second one is opened if the first has an answer's last byte still to take.
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});

/** Time passes in steps, so that what real connections do in between is not outrun. */
async function passTime(clock: SimulatedClock, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 100) await clock.advance(100);
}
