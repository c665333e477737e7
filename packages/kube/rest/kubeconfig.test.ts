import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { inClusterConfig, loadConfig } from "./in-cluster.ts";
import { loadKubeconfig } from "./kubeconfig.ts";
import { readKubeconfigNames } from "./kubeconfig-file.ts";
import type { KubeconfigOverrides } from "./kubeconfig-overrides.ts";

interface Entries {
  current?: string;
  clusters?: Record<string, object>;
  users?: Record<string, object>;
  contexts?: Record<string, object>;
}

function kubeconfig({ current, clusters = {}, users = {}, contexts = {} }: Entries): string {
  const named = (kind: string, entries: Record<string, object>) =>
    Object.entries(entries).map(([name, value]) => ({ name, [kind]: value }));
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": current,
    clusters: named("cluster", clusters),
    users: named("user", users),
    contexts: named("context", contexts),
  });
}

async function written(files: Record<string, string>): Promise<(name: string) => string> {
  const directory = await temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(directory, name, ".."), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  return (name) => join(directory, name);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** The credentials that a user of these fields gets. */
async function credentialsOf(user: object, environment: Record<string, string> = {}) {
  const clusters = { c: { server: "https://a", "certificate-authority-data": base64("CA") } };
  const text = kubeconfig({ current: "x", clusters, users: { u: user }, contexts: { x: { cluster: "c", user: "u" } } });
  const path = await written({ config: text });
  return { ...(await loadKubeconfig({ environment, path: path("config") })), path };
}

describe("files", () => {
  const one = kubeconfig({
    current: "one",
    clusters: { shared: { server: "https://first" } },
    contexts: { one: { cluster: "shared", namespace: "blue" } },
  });
  const two = kubeconfig({
    current: "two",
    clusters: { shared: { server: "https://second" }, other: { server: "https://other" } },
    contexts: { two: { cluster: "other" } },
  });

  test("are merged: the first that says something about a name wins", async () => {
    const path = await written({ one, two });
    const environment = { KUBECONFIG: [path("missing"), path("one"), path("two")].join(delimiter) };
    expect(await loadKubeconfig({ environment })).toEqual({
      server: "https://first",
      credentials: {},
      namespace: "blue",
    });
    const other = await loadKubeconfig({ environment, context: "two" });
    expect(other).toEqual({ server: "https://other", credentials: {}, namespace: "default" });
  });

  test("are looked for in the home directory", async () => {
    const path = await written({ "home/.kube/config": two });
    expect(await loadKubeconfig({ environment: { HOME: path("home") } })).toMatchObject({ server: "https://other" });
  });

  test("that are not there, not YAML or incomplete are told of", async () => {
    const path = await written({ broken: "users: [{name: u, token: s3cret", one, empty: "" });
    const load = (name: string, context?: string) => loadKubeconfig({ environment: {}, path: path(name), context });
    await expect(load("missing")).rejects.toMatchObject({ code: "KUBECONFIG_INVALID" });
    await expect(load("one", "nowhere")).rejects.toThrow('the kubeconfig has no context "nowhere"');
    await expect(load("empty")).rejects.toThrow("no current-context");
    const error = await load("broken").catch((error: Error) => error);
    expect(error).toMatchObject({ code: "KUBECONFIG_INVALID" });
    expect(JSON.stringify(error)).not.toContain("s3cret");
    expect((error as Error).message).not.toContain("s3cret");
  });
});

describe("credentials", () => {
  test("client certificates as data and as files beside the kubeconfig", async () => {
    const data = await credentialsOf({ "client-certificate-data": base64("CERT"), "client-key-data": base64("KEY") });
    expect(data.certificateAuthority).toEqual({ data: "CA" });
    expect(data.credentials.clientCertificate).toEqual({ certificate: { data: "CERT" }, key: { data: "KEY" } });

    const { path, credentials } = await credentialsOf({
      "client-certificate": "pki/c.crt",
      "client-key": "/etc/c.key",
    });
    expect(credentials.clientCertificate).toEqual({
      certificate: { file: path("pki/c.crt") },
      key: { file: "/etc/c.key" },
    });

    await expect(credentialsOf({ "client-key-data": base64("KEY") })).rejects.toMatchObject({
      code: "KUBECONFIG_INVALID",
    });
  });

  test("tokens, token files, passwords and impersonation", async () => {
    expect((await credentialsOf({ token: "t" })).credentials).toEqual({ token: "t" });
    const { path, credentials } = await credentialsOf({ tokenFile: "token" });
    expect(credentials).toEqual({ tokenFile: path("token") });
    const basic = { username: "ann", password: "p" };
    expect((await credentialsOf(basic)).credentials).toEqual({ basic });
    expect((await credentialsOf({ token: "t", as: "bob", "as-groups": ["g"] })).credentials).toEqual({
      token: "t",
      impersonate: { user: "bob", groups: ["g"] },
    });
  });

  test("exec plugins inherit the environment that they are given", async () => {
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "./get-token",
      args: ["--now"],
      env: [{ name: "REGION", value: "here" }],
      provideClusterInfo: true,
      interactiveMode: "Never",
      installHint: "get it",
    };
    const { path, credentials } = await credentialsOf({ exec }, { PATH: "/bin", REGION: "there" });
    expect(credentials.exec).toMatchObject({
      command: path("get-token"),
      arguments: ["--now"],
      environment: { PATH: "/bin", REGION: "here" },
      clusterInfo: { server: "https://a", "certificate-authority-data": base64("CA") },
      installHint: "get it",
    });
    expect((await credentialsOf({ exec: { ...exec, command: "aws" } })).credentials.exec?.command).toBe("aws");
  });

  test("what is not supported is refused, not ignored", async () => {
    const refused = { code: "KUBECONFIG_UNSUPPORTED" };
    await expect(credentialsOf({ "auth-provider": { name: "oidc" } })).rejects.toMatchObject(refused);
    await expect(credentialsOf({ exec: { command: "a", interactiveMode: "Always" } })).rejects.toMatchObject(refused);
  });
});

describe("flags", () => {
  const text = kubeconfig({
    current: "x",
    clusters: {
      c: { server: "https://c", "certificate-authority-data": base64("CA") },
      d: { server: "https://d" },
    },
    users: { u: { token: "t", as: "ann", "as-groups": ["g"] }, v: { exec: { command: "a" } } },
    contexts: { x: { cluster: "c", user: "u", namespace: "blue" } },
  });
  const load = async (overrides: KubeconfigOverrides) => {
    const path = await written({ config: text });
    return loadKubeconfig({ environment: {}, path: path("config"), overrides });
  };

  test("choose other entries than the context does", async () => {
    expect(await load({ cluster: "d", user: "v", namespace: "green" })).toMatchObject({
      server: "https://d",
      credentials: { exec: { command: "a" } },
      namespace: "green",
    });
    await expect(load({ cluster: "none" })).rejects.toThrow('the kubeconfig has no cluster "none"');
  });

  test("go before what the entries say", async () => {
    const overrides = { server: "https://e", certificateAuthority: "ca.crt", tlsServerName: "e" };
    expect(await load({ ...overrides, clientCertificate: "a.crt", clientKey: "a.key" })).toMatchObject({
      server: "https://e",
      certificateAuthority: { file: resolve("ca.crt") },
      tlsServerName: "e",
      credentials: { clientCertificate: { certificate: { file: resolve("a.crt") }, key: { file: resolve("a.key") } } },
    });
    expect(await load({ insecureSkipTlsVerify: true })).toMatchObject({ insecureSkipTlsVerify: true });
    expect((await load({ user: "v", token: "s" })).credentials).toEqual({ token: "s" });
  });

  test("impersonate somebody, without the groups of another", async () => {
    expect((await load({ as: "bob" })).credentials.impersonate).toEqual({ user: "bob" });
    expect((await load({ as: "bob", asUid: "1", asGroups: ["h"] })).credentials.impersonate).toEqual({
      user: "bob",
      uid: "1",
      groups: ["h"],
    });
  });

  test("may say everything, so that no file is needed", async () => {
    const path = await written({});
    const overrides = { server: "https://e", token: "s" };
    expect(await loadKubeconfig({ environment: {}, path: path("missing"), overrides })).toEqual({
      server: "https://e",
      credentials: { token: "s" },
      namespace: "default",
    });
  });

  test("have names to choose from", async () => {
    const path = await written({ config: text });
    expect(await readKubeconfigNames({ environment: {}, path: path("config") })).toEqual({
      contexts: ["x"],
      clusters: ["c", "d"],
      users: ["u", "v"],
    });
  });
});

describe("in a pod", () => {
  const environment = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };

  test("the service account is used, by its files", async () => {
    const path = await written({ "account/namespace": "green\n" });
    expect(await inClusterConfig({ environment, directory: path("account") })).toEqual({
      server: "https://[fd00::1]:443",
      certificateAuthority: { file: path("account/ca.crt") },
      credentials: { tokenFile: path("account/token") },
      namespace: "green",
    });
    await expect(inClusterConfig({ environment: {} })).rejects.toMatchObject({ code: "NOT_IN_CLUSTER" });
  });

  test("a kubeconfig goes first if one was named", async () => {
    const named = kubeconfig({
      current: "x",
      clusters: { c: { server: "https://c" } },
      contexts: { x: { cluster: "c" } },
    });
    const path = await written({ named });
    expect(await loadConfig({ environment })).toMatchObject({ server: "https://[fd00::1]:443" });
    const KUBECONFIG = path("named");
    expect(await loadConfig({ environment: { ...environment, KUBECONFIG } })).toMatchObject({ server: "https://c" });
    expect(await loadConfig({ environment, path: KUBECONFIG })).toMatchObject({ server: "https://c" });
  });
});
