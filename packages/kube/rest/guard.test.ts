import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CodedError } from "@moco-ts/base";
import { expect, it, onTestFinished, vi } from "vitest";
import { ConfigMaps } from "../types/generated/index.ts";
import { connect } from "./connect.ts";

it("asks the guard when the request is about to be sent, not when it begins to wait", async () => {
  const arrived: { path: string; response: ServerResponse }[] = [];
  const server = createServer((request, response) => arrived.push({ path: request.url!, response }));
  server.listen(0, "127.0.0.1");
  await vi.waitFor(() => expect(server.listening).toBe(true));
  const { port } = server.address() as AddressInfo;
  const client = connect(
    { server: `http://127.0.0.1:${port}`, credentials: {}, namespace: "default" },
    { concurrency: 1 },
  );
  onTestFinished(async () => {
    await client.close();
    server.close();
  });

  let allowed = true;
  const guard = (): void => {
    if (!allowed) throw new CodedError("LEADERSHIP_LOST", "may not write any more");
  };
  const write = (name: string) =>
    client.patch(ConfigMaps, { namespace: "default", name }, { type: "merge", body: {} }, { guard });

  const first = write("first");
  const second = write("second").catch((error: unknown) => error); // Waits for the only connection.
  await vi.waitFor(() => expect(arrived).toHaveLength(1));
  allowed = false;
  arrived[0]!.response.end("{}");
  await first;
  expect(await second).toMatchObject({ code: "LEADERSHIP_LOST" });

  allowed = true;
  const third = write("third");
  await vi.waitFor(() => expect(arrived).toHaveLength(2));
  arrived[1]!.response.end("{}");
  await third;
  expect(arrived.map(({ path }) => path.split("?")[0]!.split("/").at(-1))).toEqual(["first", "third"]);
});
