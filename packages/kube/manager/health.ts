import { describeError, withDeadline, type Clock } from "@moco-ts/base";
import type { Answer, Routes } from "./http-server.ts";

/** Throws, or rejects, if something is not as it should be. */
export type HealthCheck = (signal: AbortSignal) => void | Promise<void>;

export type HealthChecks = Readonly<Record<string, HealthCheck>>;

/** Milliseconds for one check: the kubelet asks again anyway. */
const checkDeadline = 5000;

/**
 * Routes as the Kubernetes components have them: `/readyz` says ok or what failed, `/readyz?verbose` says all,
 * `/readyz?exclude=name` leaves one out and `/readyz/name` asks for one.
 */
export function healthRoutes(path: string, checks: HealthChecks, clock: Clock): Routes {
  const title = path.slice(1);
  return {
    [path]: (url) => {
      const excluded = url.searchParams.getAll("exclude");
      const names = Object.keys(checks).filter((name) => !excluded.includes(name));
      return report(title, names, checks, clock, url.searchParams.has("verbose"));
    },
    [`${path}/`]: async (url) => {
      const name = decodeURIComponent(url.pathname.slice(path.length + 1));
      if (!Object.hasOwn(checks, name)) return { status: 404, body: "not found\n" };
      return report(`${title}/${name}`, [name], checks, clock, url.searchParams.has("verbose"));
    },
  };
}

async function report(
  title: string,
  names: readonly string[],
  checks: HealthChecks,
  clock: Clock,
  verbose: boolean,
): Promise<Answer> {
  const results = await Promise.all(
    names.map(async (name) => {
      try {
        await withDeadline({ what: name, milliseconds: checkDeadline, clock }, async (signal) => checks[name]!(signal));
        return { passed: true, line: `[+]${name} ok` };
      } catch (error) {
        return { passed: false, line: `[-]${name} failed: ${describeError(error)}` };
      }
    }),
  );
  const passed = results.every((result) => result.passed);
  const lines = results.map(({ line }) => `${line}\n`).join("");
  if (passed) return { status: 200, body: verbose ? `${lines}${title} check passed\n` : "ok" };
  return { status: 500, body: `${lines}${title} check failed\n` };
}
