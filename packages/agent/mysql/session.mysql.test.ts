import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isListening } from "./listening.ts";

const run = promisify(execFile);
const script = join(import.meta.dirname, "testing", "main.ts");

test("who asks while mysqld does not run takes no port from it", async () => {
  const inNetworkOfItsOwn = ["--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", process.execPath, script];
  const { stdout } = await run("unshare", inNetworkOfItsOwn);
  expect(JSON.parse(stdout)).toEqual({
    answer: "nobody listens at port 33062: mysqld does not run, or is still starting",
    port: "free",
  });
});

test.each(["127.0.0.1", "::1", "0.0.0.0", "::"])("who listens at %s is found", async (host) => {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  expect(await isListening(port)).toBe(true);
  server.close();
  await once(server, "close");
  expect(await isListening(port)).toBe(false);
});
