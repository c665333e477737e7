import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";

export interface ProbeOptions {
  /** PEM. Default: any certificate will do, as nothing secret is sent. */
  authority?: string;
  /** Milliseconds. Default: 1,000. */
  timeout?: number;
}

/** True if the URL answers with 200. */
export async function answers(url: string, options: ProbeOptions = {}): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const { authority, timeout = 1_000 } = options;
  const secure = url.startsWith("https:");
  const request = (secure ? requestSecure : requestPlain)(url, {
    agent: false,
    timeout,
    ...(secure && { ca: authority, rejectUnauthorized: authority !== undefined }),
  });
  request.on("response", (response) => {
    response.resume();
    resolve(response.statusCode === 200);
  });
  request.on("timeout", () => request.destroy());
  // Not there yet: the caller asks again.
  request.on("error", () => resolve(false));
  request.on("close", () => resolve(false));
  request.end();
  return promise;
}
