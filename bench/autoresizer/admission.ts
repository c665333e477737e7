import { mkdir, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { createAuthority, issueLeaf } from "@moco-ts/kube";

export const webhookPort = 19_443;

/** Writes a certificate for the webhook; returns the flags to use it, and whom to trust. */
export async function provideCertificate(directory: string): Promise<{ flags: string[]; authority: string }> {
  const validity = { now: Date.now(), lifetime: 24 * 3_600_000 };
  const authority = await createAuthority("bench", validity);
  const subject = { commonName: "webhook", ipAddresses: ["127.0.0.1"], usages: ["server"] } as const;
  const { certificate, privateKey } = await issueLeaf(authority, subject, validity);
  const folder = join(directory, "certificate");
  await mkdir(folder);
  await writeFile(join(folder, "tls.crt"), certificate);
  await writeFile(join(folder, "tls.key"), privateKey, { mode: 0o600 });
  const flags = [`--webhook-addr=127.0.0.1:${webhookPort}`, `--cert-dir=${folder}`];
  return { flags, authority: authority.certificate };
}

/** Milliseconds for each of so many reviews, one after the other, on a connection that is kept as API servers do. */
export async function reviewTimes(
  count: number,
  authority: string,
  claim: { readonly namespace: string; readonly labels: Record<string, string> },
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, ca: authority });
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const began = performance.now();
    const answer = await review(agent, claim);
    times.push(performance.now() - began);
    if (!answer.includes('"allowed":true')) throw new Error(`the webhook refused: ${answer}`);
  }
  agent.destroy();
  return times.sort((one, other) => one - other);
}

function review(
  agent: Agent,
  { namespace, labels }: { namespace: string; labels: Record<string, string> },
): Promise<string> {
  const annotations = {
    "resize.topolvm.io/initial-resize-group-by": "group",
    "resize.topolvm.io/storage_limit": "100Gi",
  };
  const object = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "new", namespace, labels, annotations },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  const admission = { uid: "u-1", operation: "CREATE", namespace, name: "new", object, oldObject: null };
  const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: admission });
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const options = { host: "127.0.0.1", port: webhookPort, path: "/pvc/mutate", method: "POST", agent, headers };
    const sent = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
