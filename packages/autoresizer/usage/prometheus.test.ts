import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeError, systemClock } from "@moco-ts/base";
import { createAuthority, issueLeaf } from "@moco-ts/kube";
import { answerJson, FakePrometheus } from "../testing/fake-prometheus.ts";
import { testUsage } from "../testing/objects.ts";
import type { HttpConfig } from "./http.ts";
import { PrometheusUsage, readSeries } from "./prometheus.ts";

const { signal } = new AbortController();

function sourceOf(url: string, config: Partial<HttpConfig> = {}, timeout = 2000): PrometheusUsage {
  return new PrometheusUsage({ config: { url: new URL(url), ...config }, timeout, clock: systemClock });
}

/** What the failures say. */
async function problems(source: PrometheusUsage): Promise<string[]> {
  const { failures } = await source.read(signal);
  return failures.map((failure) => `${failure.source}: ${describeError(failure.error)}`);
}

describe("statistics in Prometheus", () => {
  test("are asked for by the names of four metrics, all for the same moment", async () => {
    const prometheus = await FakePrometheus.start();
    prometheus.volumes.set("a/x", testUsage());
    const { volumes, failures } = await sourceOf(`${prometheus.url}/select/0/prometheus/`).read(signal);
    expect(failures).toEqual([]);
    expect(Object.fromEntries(volumes)).toEqual({ "a/x": testUsage() });
    expect(prometheus.requests.map(({ url }) => url.searchParams.get("query") ?? "").sort()).toEqual([
      "kubelet_volume_stats_available_bytes",
      "kubelet_volume_stats_capacity_bytes",
      "kubelet_volume_stats_inodes",
      "kubelet_volume_stats_inodes_free",
    ]);
    expect(new Set(prometheus.requests.map(({ url }) => url.searchParams.get("time"))).size).toBe(1);
    expect(prometheus.requests[0]!.url.pathname).toBe("/select/0/prometheus/api/v1/query");
  });

  test("are good without inodes, and not without bytes", async () => {
    const prometheus = await FakePrometheus.start();
    prometheus.volumes.set("a/no-inodes", { capacity: 10, available: 5 });
    prometheus.volumes.set("a/no-bytes", { inodes: 10, inodesFree: 5 });
    prometheus.volumes.set("a/no-capacity", { available: 5 });
    const { volumes } = await sourceOf(prometheus.url).read(signal);
    expect([...volumes.keys()]).toEqual(["a/no-inodes"]);
  });

  test("of inodes may fail, and bytes still count", async () => {
    const prometheus = await FakePrometheus.start();
    prometheus.volumes.set("a/x", testUsage());
    prometheus.instead = (url, response) => {
      if (!url.searchParams.get("query")?.includes("inodes")) return false;
      answerJson(response, 422, { status: "error", errorType: "execution", error: "too many samples" });
      return true;
    };
    const { volumes, failures } = await sourceOf(prometheus.url).read(signal);
    expect(volumes.get("a/x")).toMatchObject({ available: testUsage().available, inodes: undefined });
    expect(failures).toHaveLength(2);
  });

  test("are asked for once more if a connection that was kept is closed at this moment", async () => {
    const prometheus = await FakePrometheus.start();
    prometheus.volumes.set("a/x", testUsage());
    const source = sourceOf(prometheus.url);
    expect(await problems(source)).toEqual([]);
    const kept = prometheus.requests.length;
    prometheus.instead = (_url, response) => {
      if (prometheus.requests.length > kept + 1) return false;
      response.socket?.destroy();
      return true;
    };
    expect(await problems(source)).toEqual([]);
    expect(prometheus.requests).toHaveLength(kept + 5);
  });

  test("that are no vector are an error", async () => {
    const prometheus = await FakePrometheus.start();
    prometheus.instead = (_url, response) => {
      answerJson(response, 200, { status: "success", data: { resultType: "matrix", result: [] } });
      return true;
    };
    expect(await problems(sourceOf(prometheus.url))).toContain(
      "Prometheus, kubelet_volume_stats_available_bytes: unknown response type: matrix",
    );
  });

  test.each([
    [
      "an error of Prometheus",
      400,
      '{"status":"error","errorType":"bad_data","error":"parse error"}',
      "400 bad_data: parse error",
    ],
    ["a login page", 200, "<html>Please log in</html>", "200, and not JSON: <html>Please log in</html>"],
    ["a proxy's error", 502, "Bad Gateway", "502, and not JSON: Bad Gateway"],
    ["JSON of something else", 200, "[]", "200 unknown error: []"],
    ["null", 200, "null", "200 unknown error: null"],
  ])("instead of which %s comes are an error", async (_what, status, body, text) => {
    const prometheus = await FakePrometheus.start();
    prometheus.instead = (_url, response) => {
      response.writeHead(status).end(body);
      return true;
    };
    const [first] = await problems(sourceOf(prometheus.url));
    expect(first).toContain(text);
  });

  test("that never come are an error in time", async () => {
    const prometheus = await FakePrometheus.start();
    prometheus.instead = () => true;
    expect(await problems(sourceOf(prometheus.url, {}, 100))).toEqual([
      expect.stringContaining("took longer than 100 ms"),
    ]);
  });

  test("of nobody are an error", async () => {
    const [first] = await problems(sourceOf("http://127.0.0.1:1"));
    expect(first).toContain("ECONNREFUSED");
  });
});

describe("who asks", () => {
  async function files(contents: Record<string, string>): Promise<Record<string, string>> {
    const directory = await mkdtemp(join(tmpdir(), "moco-ts-prometheus-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const entries = Object.entries(contents).map(async ([name, text]) => {
      await writeFile(join(directory, name), text);
      return [name, join(directory, name)] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  test("says so by a token that may change, and by headers", async () => {
    const prometheus = await FakePrometheus.start();
    const { token: bearerTokenFile, headers: headersFile } = await files({
      token: "first\n",
      headers: "X-Secret: hidden\n\nX-Other:  more: of it \n",
    });
    const source = sourceOf(prometheus.url, { bearerTokenFile, headersFile, headers: ["X-Scope-OrgID: one"] });
    await source.read(signal);
    expect(prometheus.requests.at(-1)!.headers).toMatchObject({
      authorization: "Bearer first",
      "x-scope-orgid": "one",
      "x-secret": "hidden",
      "x-other": "more: of it",
    });
    await writeFile(bearerTokenFile!, "second");
    await source.read(signal);
    expect(prometheus.requests.at(-1)!.headers.authorization).toBe("Bearer second");
  });

  test("says so by name and password", async () => {
    const prometheus = await FakePrometheus.start();
    const { password: passwordFile } = await files({ password: "pa:ss\n" });
    await sourceOf(prometheus.url, { basic: { username: "me", password: "", passwordFile } }).read(signal);
    const expected = `Basic ${Buffer.from("me:pa:ss").toString("base64")}`;
    expect(prometheus.requests.at(-1)!.headers.authorization).toBe(expected);
  });

  test("tells of a missing file, and of no secret", async () => {
    const prometheus = await FakePrometheus.start();
    const [missing] = await problems(sourceOf(prometheus.url, { bearerTokenFile: "/no/such/file" }));
    expect(missing).toContain("ENOENT");
    const [wrong] = await problems(sourceOf(prometheus.url, { headers: ["top secret"] }));
    expect(wrong).toContain('not a header: use "Name: value"');
    expect(wrong).not.toContain("top");
  });

  test("trusts whom it is told to, and shows a certificate of its own", async () => {
    const validity = { now: Date.now(), lifetime: 3_600_000 };
    const authority = await createAuthority("test-ca", validity);
    const server = await issueLeaf(
      authority,
      { commonName: "p", dnsNames: ["prometheus"], usages: ["server"] },
      validity,
    );
    const client = await issueLeaf(authority, { commonName: "autoresizer", usages: ["client"] }, validity);
    const users: unknown[] = [];
    const https = createServer(
      {
        cert: server.certificate,
        key: server.privateKey,
        ca: authority.certificate,
        requestCert: true,
        rejectUnauthorized: false,
      },
      (request, response) => {
        users.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
        answerJson(response, 200, { status: "success", data: { resultType: "vector", result: [] } });
      },
    ).listen(0, "127.0.0.1");
    await once(https, "listening");
    onTestFinished(() => {
      https.close();
      https.closeAllConnections();
    });
    const url = `https://127.0.0.1:${(https.address() as AddressInfo).port}`;
    const paths = await files({ ca: authority.certificate, crt: client.certificate, key: client.privateKey });

    const [stranger] = await problems(sourceOf(url, { serverName: "prometheus" }));
    expect(stranger).toMatch(/certificate/);
    const [misnamed] = await problems(sourceOf(url, { caFile: paths["ca"], serverName: "other" }));
    expect(misnamed).toMatch(/altnames/);
    expect(await problems(sourceOf(url, { insecureSkipVerify: true }))).toEqual([]);
    const config = {
      caFile: paths["ca"],
      serverName: "prometheus",
      certificateFile: paths["crt"],
      keyFile: paths["key"],
    };
    expect(await problems(sourceOf(url, config))).toEqual([]);
    expect(users.at(-1)).toBe("autoresizer");
  });
});

test("a series is read as JSON would be, whatever its labels are called and hold", () => {
  const name = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?$/);
  const labels = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.constant('"namespace":"x","value":[1,"2"]')));
  const property = fc.property(
    name,
    name,
    labels,
    fc.nat(),
    fc.constantFrom(0, 2),
    (namespace, claim, others, value, indent) => {
      const metric = { ...others, namespace, persistentvolumeclaim: claim };
      const text = JSON.stringify({ metric, value: [1.5, String(value)] }, undefined, indent);
      expect(readSeries(text)).toEqual({ namespace, claim, value });
    },
  );
  fc.assert(property);
  expect(readSeries('{"metric":{"namespace":"n","persistentvolumeclaim":"c"},"values":[[1,"2"]]}')).toBeUndefined();
  expect(readSeries('{"metric":{"namespace":"n"},"value":[1,"2"]}')).toBeUndefined();
});
