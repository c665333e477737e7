import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { allMysqlUsers } from "@moco-ts/api";
import { createAuthority, issueLeaf, type Certificate, type KeyPair } from "@moco-ts/kube";
import { freePorts, startTestInstance, type TestInstance } from "@moco-ts/mysql/testing";
import type { CloneOrder } from "../kubernetes.ts";
import { orderClone } from "./clone-order.ts";

const serverName = "moco-test-0.moco-test.default.svc";
const agentProgram = join(import.meta.dirname, "..", "..", "..", "agent", "testing", "main.ts");
const validity = { now: Date.now(), lifetime: 3_600_000 };
const { signal } = new AbortController();

let authority: KeyPair;
let donor: TestInstance;
let recipient: TestInstance;
let port: number;
const endings: (() => unknown)[] = [];

beforeAll(async () => {
  authority = await createAuthority("moco-grpc-ca", validity);
  [donor, recipient] = await Promise.all([startTestInstance(), startTestInstance({ restart: true })]);
  endings.push(donor.dispose, recipient.dispose);
  await donor.instance.open(donor.uuid, 0, signal);
  await (await donor.connect("moco-writable")).query("CREATE DATABASE cloned");
  port = await startAgent();
});
afterAll(async () => {
  for (const end of endings.toReversed()) await end();
});

/** As it runs in the recipient's Pod. Returns its port. */
async function startAgent(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "certificates-"));
  endings.push(() => rm(directory, { recursive: true }));
  const request = { commonName: "moco-agent", dnsNames: ["*.moco-test.default.svc"], usages: ["server"] } as const;
  const pair = await issueLeaf(authority, request, validity);
  const files = { "ca.crt": authority.certificate, "tls.crt": pair.certificate, "tls.key": pair.privateKey };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  await chmod(directory, 0o755);
  const [grpc, probes, metrics] = (await freePorts(3)) as [number, number, number];
  const addresses = { address: grpc, "probe-address": probes, "metrics-address": metrics };
  const agent = spawn(
    process.execPath,
    [
      agentProgram,
      ...Object.entries(addresses).map(([flag, number]) => `--${flag}=127.0.0.1:${number}`),
      `--socket-path=${recipient.mysqld.socketPath}`,
      `--grpc-cert-dir=${directory}`,
      "--mysqld-localhost",
    ],
    {
      env: {
        POD_NAME: "moco-test-0",
        CLUSTER_NAME: "test",
        MYSQLD_PORT: String(recipient.mysqld.adminPort),
        ...Object.fromEntries(allMysqlUsers.map(({ name, secretKey }) => [secretKey, name])),
      },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  endings.push(async () => {
    agent.kill("SIGKILL");
    await once(agent, "exit");
  });
  let output = "";
  agent.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  while (!output.includes("the agent serves")) await delay(20);
  return grpc;
}

async function credentialsOf(commonName: string): Promise<Certificate> {
  const pair = await issueLeaf(authority, { commonName, usages: ["client"] }, validity);
  return { ...pair, authorities: authority.certificate };
}

function order(changes: Partial<CloneOrder["donor"]> = {}): CloneOrder {
  const login = (user: string) => ({ user, password: user });
  return {
    ordinal: 0,
    address: "127.0.0.1",
    donor: { host: "127.0.0.1", port: donor.mysqld.adminPort, ...login("moco-clone-donor"), ...changes },
    init: login("moco-admin"),
    bootTimeout: 100_000,
  };
}

const failure = (text: string | RegExp) => ({
  code: "AGENT_CLONE_FAILED",
  message: expect.stringMatching(text) as string,
});

describe("a clone is refused", () => {
  test("by the agent to anybody but the controller", async () => {
    const credentials = await credentialsOf("somebody");
    await expect(orderClone({ serverName, credentials, order: order(), port }, signal)).rejects.toMatchObject(
      failure("common name is not valid: somebody"),
    );
  });

  test("by us if the agent is another than we meant", async () => {
    const credentials = await credentialsOf("moco-controller");
    const call = { serverName: "moco-test-0.moco-other.default.svc", credentials, order: order(), port };
    await expect(orderClone(call, signal)).rejects.toMatchObject(failure("can't be reached"));
  });

  test("by nobody: the agent is not there", async () => {
    const credentials = await credentialsOf("moco-controller");
    const call = { serverName, credentials, order: order(), port: 1 };
    await expect(orderClone(call, signal)).rejects.toMatchObject(failure("ECONNREFUSED"));
  });
});

test("the agent's words arrive, and no password", async () => {
  const credentials = await credentialsOf("moco-controller");
  const wrong = order({ password: "swordfish" });
  const error = (await orderClone({ serverName, credentials, order: wrong, port }, signal).catch(
    (thrown: unknown) => thrown,
  )) as Error;
  expect(error).toMatchObject(failure(/Access denied.*gRPC status 13/));
  expect(error.message).not.toContain("swordfish");
});

test("a clone ends when mysqld is back with the donor's data, and one is enough", { timeout: 180_000 }, async () => {
  const credentials = await credentialsOf("moco-controller");
  const call = { serverName, credentials, order: order(), port };
  await orderClone(call, signal);
  const state = await recipient.instance.observe(signal);
  expect(state).toMatchObject({ readOnly: true, superReadOnly: true, clone: { state: "Completed" } });
  expect(state.executed.equals((await donor.instance.observe(signal)).executed)).toBe(true);
  expect(await (await recipient.connect()).query("SHOW DATABASES LIKE 'cloned'")).toHaveLength(1);
  await expect(orderClone(call, signal)).rejects.toMatchObject(failure("recipient is not empty"));
});

test("who gives up is not kept waiting", async () => {
  const silent = createServer();
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const credentials = await credentialsOf("moco-controller");
  const call = { serverName, credentials, order: order(), port: (silent.address() as AddressInfo).port };
  await expect(orderClone(call, AbortSignal.timeout(100))).rejects.toThrow("timeout");
  await expect(orderClone(call, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
});
