import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "@moco-ts/mysql";
import { freeze, startMysqld } from "@moco-ts/mysql/testing";
import { startAgent } from "../testing/agent.ts";
import { makeCertificates, podHost, type TestCertificates } from "../testing/certificates.ts";

/** A mysqld with the certificate of its Pod. */
async function setup() {
  const certificates = await makeCertificates();
  const files = { ssl_ca: "ca.crt", ssl_cert: "tls.crt", ssl_key: "tls.key" };
  const options = Object.fromEntries(Object.entries(files).map(([key, name]) => [key, `/grpc-cert/${name}`]));
  const mysqld = await startMysqld({ options, volumes: { "/grpc-cert": certificates.directory } });
  onTestFinished(() => mysqld.dispose());
  const login = { user: "moco-readonly", password: "moco-readonly", host: "127.0.0.1", port: mysqld.port };
  const secure = async ({ authority }: TestCertificates): Promise<boolean> => {
    try {
      const connection = await connect({ ...login, tls: { authorities: authority, serverName: podHost } });
      const [row] = await connection.query<{ Value: string }>("SHOW STATUS LIKE 'Ssl_cipher'");
      await connection.close();
      return row!.Value !== "";
    } catch {
      // Not yet, or not any more.
      return false;
    }
  };
  const start = () => startAgent(mysqld, `--grpc-cert-dir=${certificates.directory}`);
  return { certificates, mysqld, login, secure, start };
}

test("mysqld offers TLS with the Pod's certificate, and with a new one as soon as there is one", async () => {
  const { certificates, mysqld, login, secure, start } = await setup();
  const agent = await start();
  while (!(await secure(certificates))) await delay(50);
  const stays = await connect({ ...login, tls: { authorities: certificates.authority, serverName: podHost } });
  const replaced = await certificates.replace();
  while (!(await secure(replaced))) await delay(50);
  // The operator's port has it too.
  const operator = { user: "moco-admin", password: "moco-admin", host: "127.0.0.1", port: mysqld.adminPort };
  const admin = await connect({ ...operator, tls: { authorities: replaced.authority, serverName: podHost } });
  // Nothing of it is in the binary log, where it would be a transaction that no other instance has.
  expect(await admin.query("SELECT @@GLOBAL.gtid_executed AS executed")).toEqual([{ executed: "" }]);
  await admin.close();
  expect(await secure(certificates)).toBe(false);
  expect(await stays.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  // TLS is offered, not required.
  await (await connect(login)).close();
  expect(agent.lines.join("")).not.toContain("did not take its certificate");
});

test("a certificate that changed while there was no agent is taken into use by the next one", async () => {
  const { certificates, secure, start } = await setup();
  const agent = await start();
  while (!(await secure(certificates))) await delay(50);
  await agent.stop();
  const replaced = await certificates.replace();
  expect(await secure(replaced)).toBe(false);
  await start();
  while (!(await secure(replaced))) await delay(50);
});

test("a mysqld that hangs at that moment takes it into use later", async () => {
  const { certificates, mysqld, secure } = await setup();
  const agent = await startAgent(mysqld, `--grpc-cert-dir=${certificates.directory}`, "--read-timeout=300ms");
  while (!(await secure(certificates))) await delay(50);
  const frozen = (await mysqld.processes()).at(-1);
  await freeze(frozen!);
  const replaced = await certificates.replace();
  while (!agent.lines.join("").includes("did not take its certificate into use yet")) await delay(50);
  process.kill(frozen!, "SIGCONT");
  while (!(await secure(replaced))) await delay(50);
  expect(await secure(certificates)).toBe(false);
});
