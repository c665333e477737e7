import { allMysqlUsers, annotationKeys, secretVersion } from "@moco-ts/api";
import { CodedError } from "@moco-ts/base";
import { keyOf, type Secret } from "@moco-ts/kube";

/** The password of each MySQL user, by the user's key in Secrets. */
export type Passwords = Readonly<Record<string, string>>;

/** Passwords for a new cluster: 128 bits each, in hexadecimal digits, which need no quotes anywhere. */
export function generatePasswords(randomBytes: (size: number) => Uint8Array): Passwords {
  return Object.fromEntries(
    allMysqlUsers.map(({ secretKey }) => [secretKey, Buffer.from(randomBytes(16)).toString("hex")]),
  );
}

/** Reads a Secret of the controller's namespace. Throws SECRET_INVALID if it is none of ours or is incomplete. */
export function passwordsOf(secret: Secret): Passwords {
  if (secret.metadata?.annotations?.[annotationKeys.secretVersion] !== secretVersion) {
    throw invalid(secret, "does not have valid annotation");
  }
  const entries = allMysqlUsers.map(({ secretKey }) => {
    const encoded = secret.data?.[secretKey];
    if (!encoded) throw invalid(secret, `has no ${secretKey}`);
    return [secretKey, Buffer.from(encoded, "base64").toString()];
  });
  return Object.fromEntries(entries);
}

function invalid(secret: Secret, problem: string): CodedError {
  return new CodedError("SECRET_INVALID", `secret ${keyOf(secret)} ${problem}`);
}
