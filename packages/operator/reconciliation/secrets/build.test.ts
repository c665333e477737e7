import type { Secret } from "@moco-ts/kube";
import { allMysqlUsers } from "@moco-ts/api";
import { expect, test } from "vitest";
import { testCluster } from "../testing/clusters.ts";
import { mocoCluster, mocoObject } from "../testing/moco.ts";
import { buildControllerSecret, buildMyCnfSecret, buildUsersSecret } from "./build.ts";
import { generatePasswords, passwordsOf } from "./passwords.ts";

/** In the fixtures, every password is `...`. */
const passwords = Object.fromEntries(allMysqlUsers.map(({ secretKey }) => [secretKey, "..."]));

test.each([
  ["mysql-example.full", buildControllerSecret(mocoCluster(), "moco-system", passwords)],
  ["moco-full", buildUsersSecret(mocoCluster(), passwords)],
  ["moco-my-cnf-full", buildMyCnfSecret(mocoCluster(), passwords)],
])("Secret %s is what MOCO makes", (name, secret) => {
  expect({ apiVersion: "v1", kind: "Secret", type: "Opaque", ...secret }).toEqual(mocoObject("Secret", name));
});

test("a new cluster has eight passwords of 16 random bytes each", () => {
  let next = 0;
  const generated = generatePasswords((size) => new Uint8Array(size).fill(next++));
  expect(Object.keys(generated)).toHaveLength(8);
  expect(generated).toMatchObject({ ADMIN_PASSWORD: "00".repeat(16), WRITABLE_PASSWORD: "07".repeat(16) });
});

test("the controller's Secret gives back the passwords that it was made from", () => {
  const generated = generatePasswords((size) => new Uint8Array(size).fill(0xab));
  expect(passwordsOf(buildControllerSecret(testCluster(), "moco-system", generated))).toEqual(generated);
});

test.each<[string, (secret: Secret) => void, string]>([
  ["is not ours", (secret) => delete secret.metadata!.annotations, "does not have valid annotation"],
  ["lacks a password", (secret) => delete secret.data!["AGENT_PASSWORD"], "has no AGENT_PASSWORD"],
])("a Secret that %s is not used", (_, spoil, problem) => {
  const secret = buildControllerSecret(testCluster(), "moco-system", passwords);
  const spoiled = structuredClone(secret);
  spoil(spoiled);
  expect(() => passwordsOf(spoiled)).toThrow(
    expect.objectContaining({ code: "SECRET_INVALID", message: `secret moco-system/mysql-shop.test ${problem}` }),
  );
});
