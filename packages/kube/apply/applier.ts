/**
 * apply: server-side apply that is left out when nothing would come of it.
 *
 * A manager says what it wants of an object and nothing else. The live object's record of managed fields tells what the
 * manager applied before: if all of it is still there and still wanted, no request is made. What somebody else changed
 * in those fields is put back; fields that are not in the configuration are never touched.
 */
import { silentLogger, type Logger } from "@moco-ts/base";
import type { Client } from "../rest/client.ts";
import { isNotFound } from "../rest/errors.ts";
import { keyOf, type KubeObject, type ObjectKey } from "../types/object.ts";
import { apiVersionOf, type Resource } from "../types/resource.ts";
import { compare, type Difference } from "./compare.ts";
import { objectKeyOf, prepare, type Configuration } from "./configuration.ts";
import { appliedFields, covers, fieldTree, formatPath } from "./fields.ts";
import { ApplyMemory } from "./memory.ts";
import { refuseForeign } from "./owner.ts";

export interface ApplierOptions {
  readonly client: Client;
  /** One name for each writer: it is how the server tells whose fields are whose. */
  readonly fieldManager: string;
  /** Told what was changed, and who had changed it. Default: nobody. */
  readonly logger?: Logger;
}

export interface ApplyObjectOptions<T> {
  /**
   * The object as a cache has it, with our own manager's entry in managedFields. Default: it is read.
   * It may be old: before anything is written, the object is read once.
   */
  readonly live?: T | undefined;
  /**
   * What is read of it before a write tells only who changed what. Without that the write is one request. Default false,
   * since an object that is not ours must not be taken over.
   */
  readonly trustLive?: boolean;
  /** A complete cache shows that there is no such object, of nobody's: it is not read before it is made. Default false. */
  readonly absent?: boolean;
  /** "status" and the like. */
  readonly subresource?: string;
  /** Nothing is written, and a conflict thrown, if the object has another resourceVersion by then. */
  readonly resourceVersion?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A field that an apply changed, and why. */
export interface FieldChange {
  /** `.spec.template.spec.containers[name="mysqld"].image` */
  readonly path: string;
  readonly kind: Difference["kind"];
  /** Managers that had put another value there, as `kubectl-edit (Update)`. */
  readonly takenFrom: readonly string[];
}

export type Applied<T> =
  | { readonly outcome: "created"; readonly object: T }
  | { readonly outcome: "updated"; readonly object: T; readonly changes: readonly FieldChange[] }
  | { readonly outcome: "unchanged"; readonly object: T }
  /** The object is being deleted: nothing was written. Apply again once it is gone. */
  | { readonly outcome: "terminating"; readonly object: T };

/**
 * @example
 * const applier = new Applier({ client, fieldManager: "moco-controller", logger });
 * const { outcome } = await applier.apply(Services, { metadata, spec }, { live: services.cache.get(key), signal });
 */
export class Applier {
  readonly #client: Client;
  readonly #manager: string;
  readonly #logger: Logger;
  readonly #memory = new ApplyMemory();

  constructor({ client, fieldManager, logger = silentLogger }: ApplierOptions) {
    this.#client = client;
    this.#manager = fieldManager;
    this.#logger = logger;
  }

  async apply<T extends KubeObject>(
    resource: Resource<T>,
    configuration: Configuration<T>,
    options: ApplyObjectOptions<T> = {},
  ): Promise<Applied<T>> {
    const { signal, subresource } = options;
    const desired = prepare(resource, configuration);
    const key = objectKeyOf(resource, desired);
    if (options.live !== undefined && this.#review(resource, desired, options.live, subresource).length === 0) {
      return { outcome: "unchanged", object: options.live };
    }
    // A cache lags behind and may drop other managers' entries: what is written and logged follows from the real object.
    const isTrusted = options.trustLive === true && options.live !== undefined;
    const live = options.absent ? undefined : isTrusted ? options.live : await this.#read(resource, key, signal);
    let differences: readonly Difference[] = [];
    if (live !== undefined) {
      refuseForeign(resource, desired, live, this.#manager);
      if (live.metadata?.deletionTimestamp !== undefined) return { outcome: "terminating", object: live };
      differences = this.#review(resource, desired, live, subresource);
      if (differences.length === 0) return { outcome: "unchanged", object: live };
    }
    const { resourceVersion } = options;
    const sent = resourceVersion ? { ...desired, metadata: { ...desired.metadata, resourceVersion } } : desired;
    const object = await this.#client.apply(resource, sent, {
      fieldManager: this.#manager,
      force: true,
      signal,
      ...(subresource !== undefined && { subresource }),
    });
    const again = live !== undefined && this.#memory.wasApplied(idOf(live, subresource), desired);
    this.#memory.remember(
      idOf(object, subresource),
      desired,
      compare(desired, object, this.#owned(resource, object, subresource)),
    );
    if (live === undefined) return { outcome: "created", object };
    // Not by the resourceVersion, which others raise at the same time: what is as different as before was not changed.
    const changed = this.#memory.unexplained(idOf(object, subresource), desired, differences);
    if (changed.length === 0) return { outcome: "unchanged", object };
    const changes = changed.map((difference) => this.#explain(difference, live));
    this.#tell(resource, key, changes, again);
    return { outcome: "updated", object, changes };
  }

  /** The fields that an apply would change in the live object, without a request. */
  preview<T extends KubeObject>(resource: Resource<T>, configuration: Configuration<T>, live: T): readonly string[] {
    const desired = prepare(resource, configuration);
    return this.#review(resource, desired, live, undefined).map(({ path }) => formatPath(path));
  }

  #owned(resource: Resource, live: KubeObject, subresource: string | undefined) {
    return appliedFields(live, { manager: this.#manager, apiVersion: apiVersionOf(resource), subresource });
  }

  #review(
    resource: Resource,
    desired: KubeObject,
    live: KubeObject,
    subresource: string | undefined,
  ): readonly Difference[] {
    const differences = compare(desired, live, this.#owned(resource, live, subresource));
    return this.#memory.unexplained(idOf(live, subresource), desired, differences);
  }

  async #read<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    signal: AbortSignal | undefined,
  ): Promise<T | undefined> {
    try {
      return await this.#client.get(resource, key, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #explain({ path, kind, ours }: Difference, live: KubeObject): FieldChange {
    const holders = ours || kind === "unowned" ? [] : (live.metadata?.managedFields ?? []);
    const takenFrom = holders
      .filter((entry) => covers(fieldTree(entry) ?? {}, path))
      .map(({ manager = "unknown", operation = "unknown" }) => `${manager} (${operation})`);
    return { path: formatPath(path), kind, takenFrom };
  }

  /** Values never reach the log: they may be secret. */
  #tell(resource: Resource, key: ObjectKey, changes: readonly FieldChange[], again: boolean): void {
    const fields = { kind: resource.kind, object: keyOf(key), fields: changes.map(({ path }) => path) };
    const takenFrom = [...new Set(changes.flatMap((change) => change.takenFrom))];
    // The same configuration once more: somebody removed what we had set, and left no trace.
    if (takenFrom.length > 0 || again) {
      this.#logger.warn("put back fields that somebody else had changed", { ...fields, changedBy: takenFrom });
    } else {
      this.#logger.info("changed an object", fields);
    }
  }
}

function idOf(object: KubeObject, subresource = ""): string {
  return `${object.metadata?.uid ?? ""}/${subresource}`;
}
