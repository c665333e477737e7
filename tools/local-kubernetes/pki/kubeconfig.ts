import { stringify } from "yaml";
import type { KeyPair } from "./authority.ts";

export interface KubeconfigOptions {
  /** The name of the context, cluster and user. */
  name: string;
  server: string;
  /** PEM. */
  authority: string;
  client: KeyPair;
}

/** A kubeconfig with everything in it: no path that could go away, no program to run. */
export function kubeconfig({ name, server, authority, client }: KubeconfigOptions): string {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server, "certificate-authority-data": base64(authority) } }],
    users: [
      {
        name,
        user: {
          "client-certificate-data": base64(client.certificate),
          "client-key-data": base64(client.privateKey),
        },
      },
    ],
  });
}
