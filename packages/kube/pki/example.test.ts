import { createServer, get } from "node:https";
import { expect, onTestFinished, test } from "vitest";
import { createAuthority, issueLeaf } from "./issue.ts";

test("example: an authority, a server and a client that know each other by it", async () => {
  const now = Date.now();
  const day = 24 * 3_600_000;
  const authority = await createAuthority("example-ca", { now, lifetime: 365 * day });
  const ca = authority.certificate;

  const serving = await issueLeaf(
    authority,
    { commonName: "agent", dnsNames: ["localhost"], usages: ["server"] },
    { now, lifetime: 90 * day },
  );
  const calling = await issueLeaf(
    authority,
    { commonName: "controller", usages: ["client"] },
    { now, lifetime: 90 * day },
  );

  const server = createServer(
    { cert: serving.certificate, key: serving.privateKey, ca, requestCert: true, rejectUnauthorized: true },
    (_, response) => response.end("hello"),
  );
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as { port: number };

  const answer = new Promise<string>((resolve, reject) => {
    const options = { host: "localhost", port, ca, cert: calling.certificate, key: calling.privateKey, agent: false };
    get(options, (response) => response.on("data", (chunk: Buffer) => resolve(chunk.toString()))).on("error", reject);
  });
  expect(await answer).toBe("hello");
});
