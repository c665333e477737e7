import { containerNames, ordinalOf } from "@moco-ts/api";
import { describeError, type Clock } from "@moco-ts/base";
import type { Pod, PodStreams } from "@moco-ts/kube";
import { podStatusOf } from "../assemble/pod-status.ts";
import type { Answer, Answers } from "./report.ts";
import { InstanceSession } from "./session.ts";

/** Asks all instances at once, again and again over the same connections. */
export interface Inquirer {
  /** Never rejects for an instance that does not answer: it says why. */
  ask(pods: readonly Pod[], signal: AbortSignal): Promise<Answers>;
  close(): void;
}

export function createInquirer(options: {
  readonly streams: PodStreams;
  readonly clock: Clock;
  /** Milliseconds for each instance. Default 5,000. */
  readonly deadline?: number | undefined;
}): Inquirer {
  /** By the Pod's UID: another Pod of the same name needs another conversation. */
  const sessions = new Map<string, InstanceSession>();
  const sessionOf = ({ metadata }: Pod): InstanceSession => {
    const { uid = "", namespace, name = "" } = metadata ?? {};
    const session = sessions.get(uid) ?? new InstanceSession({ ...options, pod: { namespace, name } });
    sessions.set(uid, session);
    return session;
  };
  const askOne = async (pod: Pod, signal: AbortSignal): Promise<Answer> => {
    const reason = whyNotToAsk(pod);
    if (reason !== undefined) return { reason };
    try {
      return await sessionOf(pod).ask(signal);
    } catch (error) {
      signal.throwIfAborted();
      return { reason: describeError(error) };
    }
  };
  const forget = (pods: readonly Pod[]): void => {
    const present = new Set(pods.map(({ metadata }) => metadata?.uid));
    for (const [uid, session] of sessions) {
      if (present.has(uid)) continue;
      session.close();
      sessions.delete(uid);
    }
  };
  return {
    async ask(pods, signal) {
      forget(pods);
      const asking = pods.map(async (pod): Promise<[number, Answer]> => [
        ordinalOf(pod.metadata?.name ?? "") ?? -1,
        await askOne(pod, signal),
      ]);
      return new Map(await Promise.all(asking));
    },
    close: () => forget([]),
  };
}

/** A command can't be run in a container that does not run. */
function whyNotToAsk(pod: Pod): string | undefined {
  const container = pod.status?.containerStatuses?.find(({ name }) => name === containerNames.mysqld);
  if (container?.state?.running) return undefined;
  const { status, problem } = podStatusOf(pod);
  return problem ? `mysqld does not run: ${status}: ${problem}` : `mysqld does not run: ${status}`;
}
