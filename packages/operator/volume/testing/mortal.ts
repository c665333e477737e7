import type { Client, Patch } from "@moco-ts/kube";

/** Which request that changes something is the last one, and whether the server has carried it out by then. */
export interface Death {
  readonly step: string;
  readonly when: "before" | "after";
  /** The how-manieth such request. Default: the first. */
  readonly nth?: number;
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
  const isLast = (step: string): boolean =>
    step === death?.step && made.filter((each) => each === step).length === (death.nth ?? 1);
  const write = async (step: string, request: () => Promise<unknown>): Promise<unknown> => {
    made.push(step);
    if (!isLast(step)) return request();
    if (death?.when === "after") await request().catch(die);
    return die();
  };
  const proxy = new Proxy(client, {
    get(target, name: keyof Client) {
      const method = target[name] as (...all: unknown[]) => Promise<unknown>;
      return (...parameters: unknown[]): unknown => {
        if (dead) die();
        const request = (): Promise<unknown> => method.apply(target, parameters);
        return writes.includes(name) ? write(describe(name, parameters), request) : request();
      };
    },
  });
  return { client: proxy, made, isDead: () => dead };
}

/** `create StatefulSet`, `patch StatefulSet template`, `rehearse create StatefulSet`. */
function describe(name: string, parameters: readonly unknown[]): string {
  const [{ kind }, , content] = parameters as [{ kind: string }, unknown, (Patch & { dryRun?: boolean }) | undefined];
  if (content?.dryRun) return `rehearse ${name} ${kind}`;
  const last = content?.type === "json" ? content.body.at(-1) : undefined;
  const field = last?.path.includes("/spec/") ? "template" : last?.path.split("/").at(-1);
  return [name, kind, ...(field ? [field] : [])].join(" ");
}
