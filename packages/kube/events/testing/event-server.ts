import type { Client, Patch } from "../../rest/client.ts";
import { KubeError } from "../../rest/errors.ts";
import type { KubeObject, ObjectKey } from "../../types/object.ts";
import type { Resource } from "../../types/resource.ts";

/** The part of an API server that events need, and every request that was made. */
export class EventServer {
  readonly stored = new Map<string, KubeObject & Record<string, unknown>>();
  readonly requests: string[] = [];
  /** Thrown instead of each answer while it is set. */
  failure: Error | undefined;
  /** Carry out the request before failing. */
  answersAreLost = false;

  readonly client = {
    create: (_resource: Resource, object: KubeObject) =>
      this.#answer("create", () => {
        const name = object.metadata?.name ?? "";
        if (this.stored.has(name)) throw new KubeError("exists", { status: 409, reason: "AlreadyExists" });
        this.stored.set(name, structuredClone(object) as KubeObject & Record<string, unknown>);
      }),
    patch: (_resource: Resource, { name }: ObjectKey, { body }: Patch) =>
      this.#answer("patch", () => {
        const object = this.stored.get(name);
        if (!object) throw new KubeError("gone", { status: 404, reason: "NotFound" });
        Object.assign(object, body);
      }),
  } as unknown as Client;

  get events(): Record<string, unknown>[] {
    return [...this.stored.values()];
  }

  async #answer(request: string, operation: () => void): Promise<void> {
    this.requests.push(request);
    if (!this.failure) return operation();
    if (this.answersAreLost) operation();
    throw this.failure;
  }
}
