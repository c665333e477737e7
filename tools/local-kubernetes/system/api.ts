/** The few calls that are made to a cluster's API server while it is brought up or broken. */
import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { parse } from "yaml";

interface Kubeconfig {
  clusters: Array<{ cluster: { server: string; "certificate-authority-data": string } }>;
  users: Array<{ user: { "client-certificate-data": string; "client-key-data": string } }>;
}

/** GETs a path with one of our own kubeconfigs. Returns undefined if there is no such object. */
export async function getObject<T>(kubeconfigPath: string, path: string): Promise<T | undefined> {
  const { clusters, users } = parse(await readFile(kubeconfigPath, "utf8")) as Kubeconfig;
  const cluster = clusters[0]?.cluster;
  const user = users[0]?.user;
  if (cluster === undefined || user === undefined) {
    throw new Error(`${kubeconfigPath} is not a kubeconfig of local-kubernetes`);
  }
  const decode = (data: string) => Buffer.from(data, "base64");
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  const call = request(new URL(path, cluster.server), {
    ca: decode(cluster["certificate-authority-data"]),
    cert: decode(user["client-certificate-data"]),
    key: decode(user["client-key-data"]),
    agent: false,
    signal: AbortSignal.timeout(5_000),
  });
  call.on("error", reject);
  call.on("response", (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => (text += chunk));
    response.on("error", reject);
    response.on("end", () => {
      if (response.statusCode === 404) {
        resolve(undefined);
      } else if (response.statusCode === 200) {
        resolve(JSON.parse(text) as T);
      } else {
        reject(new Error(`GET ${path}: ${response.statusCode} ${text.slice(0, 200)}`));
      }
    });
  });
  call.end();
  return promise;
}
