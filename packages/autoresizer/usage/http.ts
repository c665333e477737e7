import { readFile } from "node:fs/promises";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as TlsAgent, request as httpsRequest } from "node:https";
import { CodedError, toError } from "@moco-ts/base";

/** How a server is reached and how we identify ourselves. Files are read for every request: they may be rotated. */
export interface HttpConfig {
  readonly url: URL;
  readonly bearerTokenFile?: string | undefined;
  readonly basic?:
    { readonly username: string; readonly password: string; readonly passwordFile?: string | undefined } | undefined;
  /** Default: the system's authorities. */
  readonly caFile?: string | undefined;
  readonly certificateFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** The name in the server's certificate. Default: the host of the URL. */
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
  /** `Name: value`. */
  readonly headers?: readonly string[] | undefined;
  /** The same, one in a line. */
  readonly headersFile?: string | undefined;
}

export interface HttpClient {
  /** Resolves when an answer begins, of whatever status. The signal ends its body, too. */
  get(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage>;
}

export function createHttpClient(config: HttpConfig): HttpClient {
  const options = { keepAlive: true, timeout: 60_000 };
  const [agent, tlsAgent] = [new Agent(options), new TlsAgent(options)];
  const isTls = config.url.protocol === "https:";
  return {
    async get(path, query, signal) {
      const url = new URL(config.url);
      url.pathname = url.pathname.replace(/\/+$/, "") + path;
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const headers = await headersOf(config);
      const tls = isTls ? await tlsOptions(config) : {};
      const send = (): Promise<IncomingMessage> =>
        new Promise((resolve, reject) => {
          const options = { headers, signal, ...tls };
          const sent = isTls
            ? httpsRequest(url, { ...options, agent: tlsAgent }, resolve)
            : httpRequest(url, { ...options, agent }, resolve);
          sent.on("error", (error: NodeJS.ErrnoException) => {
            if (signal.aborted) reject(toError(signal.reason));
            // Servers and what stands before them close connections that were idle, and may do so at this moment.
            else if (sent.reusedSocket && error.code === "ECONNRESET") resolve(send());
            else reject(error);
          });
          sent.end();
        });
      return send();
    },
  };
}

async function headersOf(config: HttpConfig): Promise<Record<string, string>> {
  const { bearerTokenFile, basic, headers = [], headersFile } = config;
  const lines = headersFile === undefined ? [] : (await readFile(headersFile, "utf8")).split(/\r?\n/);
  return {
    accept: "application/json",
    "user-agent": "pvc-autoresizer",
    ...(bearerTokenFile !== undefined && { authorization: `Bearer ${await readText(bearerTokenFile)}` }),
    ...(basic && { authorization: await basicAuthorization(basic) }),
    ...Object.fromEntries([...headers, ...lines.filter((line) => line.trim() !== "")].map(parseHeader)),
  };
}

async function basicAuthorization({ username, password, passwordFile }: NonNullable<HttpConfig["basic"]>) {
  const secret = passwordFile === undefined ? password : await readText(passwordFile);
  return `Basic ${Buffer.from(`${username}:${secret}`).toString("base64")}`;
}

/** The value may be a secret, so that it is not in the error. */
export function parseHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0)).trim();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new CodedError("HEADER_INVALID", 'not a header: use "Name: value"');
  return [name.toLowerCase(), line.slice(colon + 1).trim()];
}

async function tlsOptions({ caFile, certificateFile, keyFile, serverName, insecureSkipVerify }: HttpConfig) {
  return {
    ...(caFile !== undefined && { ca: await readFile(caFile) }),
    ...(certificateFile !== undefined && { cert: await readFile(certificateFile) }),
    ...(keyFile !== undefined && { key: await readFile(keyFile) }),
    ...(serverName !== undefined && { servername: serverName }),
    rejectUnauthorized: !insecureSkipVerify,
  };
}

async function readText(file: string): Promise<string> {
  return (await readFile(file, "utf8")).trim();
}
