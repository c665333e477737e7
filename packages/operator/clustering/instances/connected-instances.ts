import { ports } from "@moco-ts/api";
import type { Clock } from "@moco-ts/base";
import type { Key, Pod } from "@moco-ts/kube";
import { MysqlInstance, type Instance } from "@moco-ts/mysql";
import type { Instances, Login } from "../clustering.ts";
import { followInstance } from "./heartbeat.ts";

interface Connected {
  readonly cluster: Key;
  /** Undefined for one that no Pod has any more. */
  readonly podUid: string | undefined;
  readonly address: string;
  readonly instance: MysqlInstance;
  readonly end: AbortController;
}

export interface ConnectedInstancesOptions {
  readonly changed: (cluster: Key) => void;
  /** Throws if this process is no longer the one that may change instances. */
  readonly mayChange: () => void;
  readonly clock: Clock;
}

/** One set of long-lived connections for each instance, with a heartbeat: nobody has to wait for a login. */
export class ConnectedInstances implements Instances {
  readonly #options: ConnectedInstancesOptions;
  readonly #connected = new Map<string, Connected>();

  constructor(options: ConnectedInstancesOptions) {
    this.#options = options;
  }

  of(cluster: Key, { metadata, status }: Pod, login: Login): Instance | undefined {
    const address = status?.podIP;
    return address === undefined ? undefined : this.#get(cluster, metadata?.uid, address, login);
  }

  at(cluster: Key, address: string, login: Login): Instance {
    return this.#get(cluster, undefined, address, login);
  }

  retain(cluster: Key, pods: readonly Pod[]): void {
    for (const [id, each] of this.#connected) {
      if (each.cluster !== cluster) continue;
      const isUsed = pods.some(
        ({ metadata, status }) => metadata?.uid === each.podUid && status?.podIP === each.address,
      );
      // One without a Pod is asked for anew as long as it is of use.
      if (isUsed) continue;
      this.#connected.delete(id);
      each.end.abort();
      void each.instance.close();
    }
  }

  #get(cluster: Key, podUid: string | undefined, address: string, login: Login): MysqlInstance {
    const id = `${cluster} ${podUid ?? ""} ${address}`;
    const found = this.#connected.get(id);
    if (found) return found.instance;
    const { changed, clock, mayChange } = this.#options;
    const instance = new MysqlInstance({
      host: address,
      port: ports.mysqlAdmin.number,
      login: () => Promise.resolve(login()),
      mayChange,
      clock,
    });
    const end = new AbortController();
    this.#connected.set(id, { cluster, podUid, address, instance, end });
    if (podUid !== undefined) void followInstance(instance, () => changed(cluster), clock, end.signal);
    return instance;
  }
}
