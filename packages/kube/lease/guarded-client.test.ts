import { expect, it } from "vitest";
import type { Client, RequestOptions } from "../rest/client.ts";
import { ConfigMaps } from "../types/generated/index.ts";
import { guardClient } from "./guarded-client.ts";
import { LeadershipError, type Leadership } from "./leadership.ts";

it("lets reads through and refuses every write once the leadership is gone", async () => {
  let held = true;
  const leadership: Leadership = {
    isHeld: () => held,
    assertHeld: () => {
      if (!held) throw new LeadershipError("LEADERSHIP_LOST", "gone");
    },
    lost: new AbortController().signal,
  };
  const calls: [string, RequestOptions | undefined][] = [];
  const client = new Proxy({} as Client, {
    get:
      (_target, name: string) =>
      async (...parameters: unknown[]): Promise<void> => {
        calls.push([name, parameters.at(-1) as RequestOptions]);
      },
  });
  const guarded = guardClient(client, leadership);
  const key = { namespace: "default", name: "a" };
  const object = { metadata: key };
  const signal = new AbortController().signal;
  const reads = [
    () => guarded.get(ConfigMaps, key, { signal }),
    () => guarded.list(ConfigMaps, { signal }),
    () => guarded.raw("/version", { signal }),
  ];
  const writes = [
    () => guarded.create(ConfigMaps, object, { signal }),
    () => guarded.update(ConfigMaps, object, { signal }),
    () => guarded.patch(ConfigMaps, key, { type: "merge", body: {} }, { signal }),
    () => guarded.apply(ConfigMaps, object, { signal, fieldManager: "a" }),
    () => guarded.delete(ConfigMaps, key, { signal }),
    () => guarded.raw("/x", { method: "POST", signal }),
  ];
  for (const call of [...reads, ...writes]) await call();
  const options = calls.splice(0).map(([, each]) => each!);
  expect(options.map((each) => each.signal)).toEqual(Array(9).fill(signal));

  held = false;
  for (const { guard } of options.slice(3)) expect(guard).toThrow("gone");
  for (const read of reads) await read();
  for (const write of writes) await expect(write()).rejects.toThrow("gone");
  expect(calls.map(([name]) => name)).toEqual(["get", "list", "raw"]);
});
