import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testClient, testConfig, testNamespace } from "../testing/cluster.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { ServiceAccounts, type TokenRequest } from "../types/generated/index.ts";
import type { Client } from "./client.ts";
import type { Credentials } from "./cluster-config.ts";
import { connect } from "./connect.ts";
import { inClusterConfig } from "./in-cluster.ts";

async function tokenFor(client: Client, namespace: string, name: string): Promise<string> {
  const metadata = { namespace, name };
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata, spec: {} };
  const granted: TokenRequest = await client.create(ServiceAccounts, request, { subresource: "token" });
  return granted.status!.token!;
}

/** Who the API server takes the client for. */
async function whoAmI(client: Client): Promise<string> {
  const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
  const answer = await client.raw("/apis/authentication.k8s.io/v1/selfsubjectreviews", { method: "POST", body });
  const review = JSON.parse(answer.body) as { status?: { userInfo: { username: string } }; reason?: string };
  return review.status?.userInfo.username ?? `${answer.status} ${review.reason}`;
}

async function clientWith(credentials: Credentials): Promise<Client> {
  const client = connect({ ...(await testConfig()), credentials });
  onTestFinished(() => client.close());
  return client;
}

test("a rotated token file is followed as soon as the old token is refused", async () => {
  const administrator = await testClient();
  const namespace = await testNamespace(administrator);
  for (const name of ["first", "second"])
    await administrator.create(ServiceAccounts, { metadata: { namespace, name } });
  const tokenFile = join(await temporaryDirectory(), "token");
  await writeFile(tokenFile, await tokenFor(administrator, namespace, "first"));
  const client = await clientWith({ tokenFile });
  expect(await whoAmI(client)).toBe(`system:serviceaccount:${namespace}:first`);

  await writeFile(tokenFile, await tokenFor(administrator, namespace, "second"));
  await administrator.delete(ServiceAccounts, { namespace, name: "first" });
  await expect.poll(() => whoAmI(client), { timeout: 60_000 }).toBe(`system:serviceaccount:${namespace}:second`);
});

test("a pod's mount is all that is needed", async () => {
  const administrator = await testClient();
  const namespace = await testNamespace(administrator);
  await administrator.create(ServiceAccounts, { metadata: { namespace, name: "robot" } });
  const { server, certificateAuthority } = await testConfig();
  const directory = await temporaryDirectory();
  await writeFile(join(directory, "token"), await tokenFor(administrator, namespace, "robot"));
  await writeFile(join(directory, "ca.crt"), (certificateAuthority as { data: string }).data);
  await writeFile(join(directory, "namespace"), namespace);
  const { hostname, port } = new URL(server);
  const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const config = await inClusterConfig({ environment, directory });
  expect(config.namespace).toBe(namespace);
  const client = connect(config);
  onTestFinished(() => client.close());
  expect(await whoAmI(client)).toBe(`system:serviceaccount:${namespace}:robot`);
});

test("an exec plugin's token and client certificate are accepted", async () => {
  const administrator = await testClient();
  const namespace = await testNamespace(administrator);
  await administrator.create(ServiceAccounts, { metadata: { namespace, name: "robot" } });
  const directory = await temporaryDirectory();
  const apiVersion = "client.authentication.k8s.io/v1";
  const exec = async (status: object) => {
    const file = join(directory, `${Object.keys(status)[0]}.json`);
    await writeFile(file, JSON.stringify({ apiVersion, kind: "ExecCredential", status }), { mode: 0o600 });
    return { exec: { apiVersion, command: "cat", arguments: [file], environment: { PATH: process.env["PATH"] } } };
  };
  const token = await tokenFor(administrator, namespace, "robot");
  expect(await whoAmI(await clientWith(await exec({ token })))).toBe(`system:serviceaccount:${namespace}:robot`);

  const { certificate, key } = (await testConfig()).credentials.clientCertificate!;
  const clientCertificateData = (certificate as { data: string }).data;
  const clientKeyData = (key as { data: string }).data;
  const byCertificate = await clientWith(await exec({ clientCertificateData, clientKeyData }));
  expect(await whoAmI(byCertificate)).toBe("administrator");
});

test("impersonation and missing rights", async () => {
  const { credentials } = await testConfig();
  const client = await clientWith({ ...credentials, impersonate: { user: "ann", groups: ["developers"] } });
  expect(await whoAmI(client)).toBe("ann");
  await expect(client.list(ServiceAccounts)).rejects.toMatchObject({ code: "KUBE_Forbidden", status: 403 });
});

test("no credentials and a server that is not who it should be", async () => {
  await expect((await clientWith({})).list(ServiceAccounts)).rejects.toMatchObject({ code: "KUBE_Forbidden" });
  await expect((await clientWith({ token: "wrong" })).list(ServiceAccounts)).rejects.toMatchObject({
    code: "KUBE_Unauthorized",
  });
  const { certificateAuthority: _authority, ...rest } = await testConfig();
  const trusting = connect(rest);
  onTestFinished(() => trusting.close());
  await expect(trusting.list(ServiceAccounts)).rejects.toMatchObject({
    code: "KUBE_CONNECTION",
    cause: { code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO/) as string },
  });
});
