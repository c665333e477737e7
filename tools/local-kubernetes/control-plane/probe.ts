import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";

/** Milliseconds. */
const timeout = 1_000;

/** True if the URL answers with 200. */
export async function answers(url: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const secure = url.startsWith("https:");
  const request = (secure ? requestSecure : requestPlain)(url, {
    agent: false,
    timeout,
    // Nothing secret is sent: whose certificate it is does not matter here.
    ...(secure && { rejectUnauthorized: false }),
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
