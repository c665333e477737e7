import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { Authority } from "./authority.ts";

test("an issued certificate is signed by the authority, and good for its hosts", async () => {
  const authority = await Authority.create("test");
  const pair = await authority.issue({
    commonName: "server",
    organization: "group",
    hosts: ["localhost", "127.0.0.1"],
  });
  const certificate = new X509Certificate(pair.certificate);
  expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  expect(certificate.subject).toBe("CN=server\nO=group");
  expect(certificate.checkHost("localhost")).toBe("localhost");
  expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(certificate.checkPrivateKey(createPrivateKey(pair.privateKey))).toBe(true);
  expect(certificate.ca).toBe(false);
});

test("an authority that was saved and loaded issues for the same root", async () => {
  const authority = await Authority.create("test");
  const loaded = await Authority.load(await authority.keyPair());
  const { certificate } = await loaded.issue({ commonName: "later" });
  expect(new X509Certificate(certificate).checkIssued(new X509Certificate(authority.certificate))).toBe(true);
});
