import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "@moco-ts/mysql";
import { startMysqld } from "@moco-ts/mysql/testing";
import { startAgent } from "../testing/agent.ts";
import { makeCertificates, podHost, type TestCertificates } from "../testing/certificates.ts";

test("mysqld offers TLS with the Pod's certificate, and with a new one as soon as there is one", async () => {
  const certificates = await makeCertificates();
  const files = { ssl_ca: "ca.crt", ssl_cert: "tls.crt", ssl_key: "tls.key" };
  const options = Object.fromEntries(Object.entries(files).map(([key, name]) => [key, `/grpc-cert/${name}`]));
  const mysqld = await startMysqld({ options, volumes: { "/grpc-cert": certificates.directory } });
  onTestFinished(() => mysqld.dispose());
  const agent = await startAgent(mysqld, `--grpc-cert-dir=${certificates.directory}`);
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
  while (!(await secure(certificates))) await delay(50);
  const stays = await connect({ ...login, tls: { authorities: certificates.authority, serverName: podHost } });
  const replaced = await certificates.replace();
  while (!(await secure(replaced))) await delay(50);
  // The operator's port has it too.
  const operator = { user: "moco-admin", password: "moco-admin", host: "127.0.0.1", port: mysqld.adminPort };
  await (await connect({ ...operator, tls: { authorities: replaced.authority, serverName: podHost } })).close();
  expect(await secure(certificates)).toBe(false);
  expect(await stays.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  // TLS is offered, not required.
  await (await connect(login)).close();
  expect(agent.lines.join("")).not.toContain("did not take its new certificate");
});
