import { MySQLClusters, type ClusterKey } from "@moco-ts/api";
import { describeError, silentLogger, type Logger } from "@moco-ts/base";
import { ConnectionError } from "@moco-ts/kube";
import type { ViewOptions } from "./collect.ts";

/** Knows whether the API server is there: watches try again by themselves and say nothing but to their log. */
export interface Lifeline {
  /** For those who watch. */
  readonly logger: Logger;
  /** Asks the server if it was lost. */
  check(signal: AbortSignal): Promise<void>;
  problems(): string[];
}

export function createLifeline({ client, clock }: ViewOptions, key: ClusterKey): Lifeline {
  let lost: { readonly since: number; readonly reason: string } | undefined;
  const onFailure = (error: unknown): void => {
    if (error instanceof ConnectionError) lost ??= { since: clock.now(), reason: describeError(error) };
  };
  const logger: Logger = {
    ...silentLogger,
    warn: (_message, fields) => onFailure(fields?.["error"]),
    with: () => logger,
  };
  return {
    logger,
    async check(signal) {
      if (!lost) return;
      try {
        await client.get(MySQLClusters, key, { signal, metadataOnly: true });
        lost = undefined;
      } catch (error) {
        // Any other answer is an answer: what it means, the watches find out.
        if (!(error instanceof ConnectionError)) lost = undefined;
      }
    },
    problems() {
      if (!lost) return [];
      const seconds = Math.round((clock.now() - lost.since) / 1000);
      return [`The API server has not answered for ${seconds} s (${lost.reason}). This is what was last seen.`];
    },
  };
}
