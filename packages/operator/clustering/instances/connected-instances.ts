import { ports } from "@moco-ts/api";
import type { Clock } from "@moco-ts/base";
import type { Key, Pod } from "@moco-ts/kube";
import { MysqlInstance, type Instance } from "@moco-ts/mysql";
import type { Instances, Login } from "../clustering.ts";
import { followInstance } from "./heartbeat.ts";

interface Connected {
  readonly cluster: Key;
  /** Undefined for one that no Pod has any more. */
  podUid: string | undefined;
  readonly address: string;
  readonly instance: MysqlInstance;
  /** Ends the heartbeat. */
  readonly end: AbortController;
  /** When it was last asked for. */
  usedAt: number;
}

export interface ConnectedInstancesOptions {
  readonly changed: (cluster: Key) => void;
  /** Throws if this process is no longer the one that may change instances. */
  readonly mayChange: () => void;
  readonly clock: Clock;
  /** Default: mysqld's admin port. */
  readonly port?: number;
}

/** Milliseconds for which one without a Pod is kept since somebody asked for it. */
const keepTime = 60_000;

/** One set of long-lived connections for each instance, with a heartbeat: nobody has to wait for a login. */
export class ConnectedInstances implements Instances {
  readonly #options: ConnectedInstancesOptions;
  readonly #connected = new Set<Connected>();

  constructor(options: ConnectedInstancesOptions) {
    this.#options = options;
  }

  of(cluster: Key, { metadata, status }: Pod, login: Login): Instance | undefined {
    const [address, podUid] = [status?.podIP, metadata?.uid];
    if (address === undefined || podUid === undefined) return undefined;
    return this.#get(cluster, address, login, podUid);
  }

  at(cluster: Key, address: string, login: Login): Instance {
    return this.#get(cluster, address, login);
  }

  retain(cluster: Key, pods: readonly Pod[]): void {
    const { clock } = this.#options;
    for (const each of this.#connected) {
      if (each.cluster !== cluster) continue;
      const isPods = pods.some(({ metadata, status }) => {
        return metadata?.uid === each.podUid && status?.podIP === each.address;
      });
      if (isPods) continue;
      // Its mysqld may outlive its Pod, and these connections are the best way to reach it.
      each.end.abort();
      each.podUid = undefined;
      if (pods.length > 0 && clock.monotonic() - each.usedAt < keepTime) continue;
      this.#connected.delete(each);
      void each.instance.close();
    }
  }

  /** Whoever is meant, there is one set of connections to an address: two would take the lock from one another. */
  #get(cluster: Key, address: string, login: Login, podUid?: string): MysqlInstance {
    const { clock } = this.#options;
    const found = [...this.#connected].find(
      (each) =>
        each.cluster === cluster && each.address === address && (podUid === undefined || each.podUid === podUid),
    );
    const connected = found ?? this.#connect(cluster, address, login, podUid);
    connected.usedAt = clock.monotonic();
    return connected.instance;
  }

  #connect(cluster: Key, address: string, login: Login, podUid: string | undefined): Connected {
    const { changed, clock, mayChange, port = ports.mysqlAdmin.number } = this.#options;
    const instance = new MysqlInstance({
      host: address,
      port,
      login: () => Promise.resolve(login()),
      mayChange,
      clock,
    });
    const end = new AbortController();
    const connected = { cluster, podUid, address, instance, end, usedAt: clock.monotonic() };
    this.#connected.add(connected);
    if (podUid !== undefined) void followInstance(instance, () => changed(cluster), clock, end.signal);
    return connected;
  }
}
