import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SimulatedClock } from "@moco-ts/base";
import { answerJson, answerStatus, startHttpServer } from "../testing/http-server.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { ConfigMaps } from "../types/generated/index.ts";
import { createAuthentication } from "./authentication.ts";
import type { ClusterConfig, Credentials } from "./cluster-config.ts";
import { connect } from "./connect.ts";

const cluster = (credentials: Credentials, extra: Partial<ClusterConfig> = {}): ClusterConfig => ({
  server: "https://server",
  namespace: "default",
  credentials,
  ...extra,
});

/** A plugin that says what the file next to it says, and notes each run. */
async function plugin(status: (run: number) => object) {
  const directory = await temporaryDirectory();
  const script = join(directory, "plugin.mjs");
  const runs = join(directory, "runs");
  const statuses = Array.from({ length: 5 }, (_, run) => status(run));
  await writeFile(
    script,
    `import { appendFileSync, readFileSync } from "node:fs";
     appendFileSync(${JSON.stringify(runs)}, process.env.KUBERNETES_EXEC_INFO + "\\n");
     const run = readFileSync(${JSON.stringify(runs)}, "utf8").split("\\n").length - 2;
     const status = ${JSON.stringify(statuses)}[run];
     if (status.exit) process.exit(status.exit);
     console.log(status.text ?? JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status }));`,
  );
  return {
    apiVersion: "client.authentication.k8s.io/v1",
    command: process.execPath,
    arguments: [script],
    environment: {},
  };
}

describe("headers", () => {
  test("of each kind of credentials", async () => {
    const headers = (credentials: Credentials) =>
      createAuthentication(cluster(credentials), new SimulatedClock()).headers();
    expect(await headers({})).toEqual({});
    expect(await headers({ token: "t" })).toEqual({ authorization: "Bearer t" });
    expect(await headers({ basic: { username: "ann", password: "p" } })).toEqual({ authorization: "Basic YW5uOnA=" });
    expect(await headers({ token: "t", impersonate: { user: "bob", uid: "1", groups: ["a", "b"] } })).toEqual({
      authorization: "Bearer t",
      "impersonate-user": "bob",
      "impersonate-uid": "1",
      "impersonate-group": ["a", "b"],
    });
  });

  test("a token file is read again after a minute", async () => {
    const clock = new SimulatedClock();
    const tokenFile = join(await temporaryDirectory(), "token");
    const authentication = createAuthentication(cluster({ tokenFile }), clock);
    await expect(authentication.headers()).rejects.toMatchObject({ code: "ENOENT" });
    await writeFile(tokenFile, "first\n");
    expect(await authentication.headers()).toEqual({ authorization: "Bearer first" });
    await writeFile(tokenFile, "second\n");
    await clock.advance(59_000);
    expect(await authentication.headers()).toEqual({ authorization: "Bearer first" });
    await clock.advance(1_000);
    expect(await authentication.headers()).toEqual({ authorization: "Bearer second" });
  });

  test("a token that the server refuses is read again at once", async () => {
    const server = await startHttpServer((request, response) => {
      if (request.headers.authorization === "Bearer second") answerJson(response, {});
      else answerStatus(response, 401, "Unauthorized");
    });
    const tokenFile = join(await temporaryDirectory(), "token");
    await writeFile(tokenFile, "first");
    const client = connect({ ...server.config, credentials: { tokenFile } });
    const get = () => client.get(ConfigMaps, { namespace: "default", name: "one" });
    await expect(get()).rejects.toMatchObject({ code: "KUBE_Unauthorized" });
    await writeFile(tokenFile, "second");
    await get();
    expect(server.requests).toHaveLength(4);
    await client.close();
  });
});

describe("exec plugins", () => {
  test("are run when their credential expires, and once for all who wait", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 1));
    const exec = await plugin((run) => ({
      token: `token-${run}`,
      expirationTimestamp: new Date(clock.now() + (run + 1) * 60_000).toISOString(),
    }));
    const authentication = createAuthentication(cluster({ exec }), clock);
    const both = await Promise.all([authentication.headers(), authentication.headers()]);
    expect(both).toEqual([{ authorization: "Bearer token-0" }, { authorization: "Bearer token-0" }]);
    await clock.advance(49_000);
    expect(await authentication.headers()).toEqual({ authorization: "Bearer token-0" });
    await clock.advance(1_000);
    expect(await authentication.headers()).toEqual({ authorization: "Bearer token-1" });
    expect(authentication.refresh()).toBe(true);
    expect(await authentication.headers()).toEqual({ authorization: "Bearer token-2" });
  });

  test("may give a client certificate", async () => {
    const exec = await plugin(() => ({ clientCertificateData: "CERT", clientKeyData: "KEY" }));
    const config = cluster({ exec }, { certificateAuthority: { data: "CA" } });
    const authentication = createAuthentication(config, new SimulatedClock());
    expect(await authentication.tls()).toEqual({ ca: "CA", cert: "CERT", key: "KEY" });
    expect(await authentication.headers()).toEqual({});
  });

  test("that fail are told of without what they printed, and run again", async () => {
    const failing = [{ exit: 3 }, { text: "s3cret" }, { token: "good" }];
    const exec = await plugin((run) => failing[run] ?? {});
    const authentication = createAuthentication(cluster({ exec }), new SimulatedClock());
    await expect(authentication.headers()).rejects.toThrow("ended with 3");
    const error = await authentication.headers().catch((error: Error) => error);
    expect(error).toMatchObject({ code: "EXEC_PLUGIN_FAILED" });
    expect((error as Error).stack).not.toContain("s3cret");
    expect(await authentication.headers()).toEqual({ authorization: "Bearer good" });
  });

  test("that are not there say how to get them", async () => {
    const exec = { ...(await plugin(() => ({}))), command: "no-such-plugin", installHint: "see example.com" };
    const authentication = createAuthentication(cluster({ exec }), new SimulatedClock());
    await expect(authentication.headers()).rejects.toThrow("exec plugin no-such-plugin cannot be run; see example.com");
  });
});

test("certificates are read again as they are rotated", async () => {
  const clock = new SimulatedClock();
  const file = join(await temporaryDirectory(), "ca.crt");
  await writeFile(file, "first");
  const authentication = createAuthentication(cluster({}, { certificateAuthority: { file } }), clock);
  const first = await authentication.tls();
  expect(first).toEqual({ ca: "first" });
  await clock.advance(60_000);
  expect(await authentication.tls()).toBe(first);
  await writeFile(file, "second");
  await clock.advance(60_000);
  expect(await authentication.tls()).toEqual({ ca: "second" });
});
