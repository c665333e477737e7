import type { Client } from "@moco-ts/kube";

/** Which request that changes something is the last one, and whether the server has carried it out by then. */
export interface Death {
  readonly at: number;
  readonly when: "before" | "after";
}

const writes: readonly string[] = ["create", "update", "patch", "apply", "delete"];

/** A client whose process dies: from a certain request on, nothing goes through. `made`: its writes, for people. */
export function mortal(client: Client, death?: Death): { client: Client; made: string[]; isDead: () => boolean } {
  const made: string[] = [];
  let dead = false;
  const die = (): never => {
    dead = true;
    throw new Error("the process has died");
  };
  const proxy = new Proxy(client, {
    get(target, name: keyof Client) {
      const method = target[name] as (...all: unknown[]) => Promise<unknown>;
      return (...parameters: unknown[]): unknown => {
        if (dead) die();
        if (!writes.includes(name)) return method.apply(target, parameters);
        return (async () => {
          const isLast = made.length === death?.at;
          made.push(describe(name, parameters));
          if (isLast && death.when === "before") die();
          const answer = await method.apply(target, parameters).catch((error: unknown) => {
            if (isLast) die();
            throw error;
          });
          if (isLast) die();
          return answer;
        })();
      };
    },
  });
  return { client: proxy, made, isDead: () => dead };
}

function describe(name: string, [resource, , options]: unknown[]): string {
  const { kind } = resource as { kind: string };
  return `${(options as { dryRun?: boolean } | undefined)?.dryRun ? "rehearse " : ""}${name} ${kind}`;
}
