import type { ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { SimulatedClock } from "@moco-ts/base";
import { answerStatus, startHttpServer } from "../testing/http-server.ts";
import { ConfigMaps, type ConfigMap } from "../types/generated/index.ts";
import { ConnectionError, isExpired } from "./errors.ts";
import type { WatchEvent } from "./client.ts";

const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const one = { metadata: { name: "one", resourceVersion: "7" }, data: { text: "Grüße" } };

/** Everything until the watch ends, and how it ended. */
async function drain(
  events: AsyncIterable<WatchEvent<ConfigMap>>,
): Promise<{ seen: WatchEvent<ConfigMap>[]; error: unknown }> {
  const seen: WatchEvent<ConfigMap>[] = [];
  try {
    for await (const event of events) seen.push(event);
  } catch (error) {
    return { seen, error };
  }
  return { seen, error: undefined };
}

async function watching(answer: (response: ServerResponse) => void) {
  return startHttpServer((_request, response) => {
    response.writeHead(200);
    answer(response);
  });
}

test("events and bookmarks come as they are, until the server ends the watch", async () => {
  const bookmark = { metadata: { resourceVersion: "8" } };
  const end = { metadata: { resourceVersion: "9", annotations: { "k8s.io/initial-events-end": "true" } } };
  const server = await watching((response) => {
    response.end(line("ADDED", one) + line("BOOKMARK", bookmark) + line("BOOKMARK", end) + line("DELETED", one));
  });
  const options = { namespace: "default", labelSelector: "a=b", resourceVersion: "5", timeoutSeconds: 300 };
  expect(await drain(server.client().watch(ConfigMaps, options))).toEqual({
    error: undefined,
    seen: [
      { type: "ADDED", object: one },
      { type: "BOOKMARK", resourceVersion: "8", initialEventsEnd: false },
      { type: "BOOKMARK", resourceVersion: "9", initialEventsEnd: true },
      { type: "DELETED", object: one },
    ],
  });
  expect(server.requests).toEqual([
    "GET /api/v1/namespaces/default/configmaps?watch=true&allowWatchBookmarks=true&labelSelector=a%3Db&resourceVersion=5&timeoutSeconds=300",
  ]);
});

test.for(["end", "destroy"] as const)("a watch that is cut in mid-line gives what was whole (%s)", async (how) => {
  const text = line("ADDED", one);
  const server = await watching((response) => {
    response.write(text + text.slice(0, text.indexOf("ü") + 1), () => response[how]());
  });
  const { seen, error } = await drain(server.client().watch(ConfigMaps, {}));
  expect(seen).toEqual([{ type: "ADDED", object: one }]);
  expect(error).toBeInstanceOf(ConnectionError);
});

test("an ERROR event is thrown", async () => {
  const status = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" };
  const server = await watching((response) => response.write(line("ERROR", status)));
  const { error } = await drain(server.client().watch(ConfigMaps, {}));
  expect(isExpired(error)).toBe(true);
  expect(error).toMatchObject({ message: "too old resource version" });
});

test("a refused watch is thrown", async () => {
  const server = await startHttpServer((_request, response) => answerStatus(response, 410, "Gone"));
  expect(isExpired((await drain(server.client().watch(ConfigMaps, {}))).error)).toBe(true);
});

test("a line that is not JSON is an error that doesn't quote it", async () => {
  const server = await watching((response) => response.write("secret\n"));
  const { error } = await drain(server.client().watch(ConfigMaps, {}));
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as Error).message).not.toContain("secret");
});

test("a watch may be quiet, but not longer than the idle timeout", async () => {
  const clock = new SimulatedClock();
  let answer: ServerResponse;
  const server = await watching((response) => {
    answer = response;
    response.write(line("ADDED", one));
  });
  const seen: string[] = [];
  const ended = (async () => {
    for await (const event of server.client({ clock }).watch(ConfigMaps, { idleTimeout: 1_000 })) seen.push(event.type);
  })().catch((error: unknown) => error);
  await vi.waitFor(() => expect(seen).toHaveLength(1));
  await clock.advance(900);
  answer!.write(line("MODIFIED", one));
  await vi.waitFor(() => expect(seen).toHaveLength(2));
  await clock.advance(900);
  expect(clock.pending).toBe(1);
  await clock.advance(100);
  expect(await ended).toMatchObject({
    code: "KUBE_CONNECTION",
    message: expect.stringContaining("no sign of life") as string,
  });
  expect(clock.pending).toBe(0);
});

test("a server that takes the connection and says nothing is given up", async () => {
  const server = await startHttpServer(() => undefined);
  const { error } = await drain(server.client({ timeout: 50 }).watch(ConfigMaps, {}));
  expect(error).toBeInstanceOf(ConnectionError);
});

test("an abort ends a watch with its reason; leaving it closes the connection", async () => {
  const closed = vi.fn<() => void>();
  const server = await watching((response) => {
    response.on("close", closed);
    response.write(line("ADDED", one));
  });
  const client = server.client();
  const stop = new AbortController();
  const reason = new Error("enough");
  const aborted = drain(client.watch(ConfigMaps, { signal: stop.signal }));
  await vi.waitFor(() => expect(server.requests).toHaveLength(1));
  stop.abort(reason);
  expect((await aborted).error).toBe(reason);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(1));

  for await (const event of client.watch(ConfigMaps, {})) {
    expect(event.type).toBe("ADDED");
    break;
  }
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(2));
});

test("watches never keep requests waiting", async () => {
  const server = await startHttpServer((request, response) => {
    if (request.url?.includes("watch=true")) response.writeHead(200).write(line("ADDED", one));
    else response.end("{}");
  });
  const client = server.client({ concurrency: 1 });
  const stop = new AbortController();
  const watches = Array.from({ length: 20 }, () => drain(client.watch(ConfigMaps, { signal: stop.signal })));
  await vi.waitFor(() => expect(server.requests).toHaveLength(20));
  await client.get(ConfigMaps, { namespace: "default", name: "one" });
  stop.abort();
  await Promise.all(watches);
});
