/**
 * Which mysqld processes have ended, by the word of their kubelet. A Pod object that is gone proves nothing, since it can
 * be deleted while its containers go on; a container that was reported as terminated does.
 */
import { containerNames } from "@moco-ts/api";
import type { Pod } from "@moco-ts/kube";

interface Home {
  readonly podUid: string;
  readonly containerId: string;
  /** When its process started, in milliseconds since the epoch. */
  readonly started: number;
}

/**
 * Clocks of nodes and ours differ, and the Pod may be an older one than the process that answered: a process counts as
 * one of a container that ended only if it was started clearly before that.
 */
const clearly = 5_000;

export class Deaths {
  readonly #homes = new Map<string, Home>();
  readonly #since = new Map<string, number>();

  /** A server answered: this is where it runs. */
  saw(uuid: string, pod: Pod, uptime: number, now: number): void {
    this.#since.delete(uuid);
    const containerId = statusOf(pod)?.containerID;
    const podUid = pod.metadata?.uid;
    if (containerId && podUid) this.#homes.set(uuid, { podUid, containerId, started: now - uptime * 1_000 });
  }

  /** Takes note of a Pod as it is, or as it last was before it was gone. */
  note(pod: Pod, now: number): void {
    for (const [uuid, home] of this.#homes) {
      if (home.podUid !== pod.metadata?.uid || this.#since.has(uuid)) continue;
      const ended = endOf(pod, home.containerId);
      if (ended !== undefined && ended - home.started > clearly) this.#since.set(uuid, now);
    }
  }

  /** server_uuids of processes that have ended, and for how many milliseconds that is known. */
  known(now: number): Map<string, number> {
    return new Map([...this.#since].map(([uuid, since]) => [uuid, now - since]));
  }
}

function statusOf({ status }: Pod) {
  return status?.containerStatuses?.find(({ name }) => name === containerNames.mysqld);
}

/** When the container ended, if it did. */
function endOf(pod: Pod, containerId: string): number | undefined {
  const status = statusOf(pod);
  for (const state of [status?.state, status?.lastState]) {
    const ended = state?.terminated;
    if (ended?.containerID === containerId && ended.finishedAt) return Date.parse(ended.finishedAt);
  }
  return undefined;
}
