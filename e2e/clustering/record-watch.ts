import { setTimeout as delay } from "node:timers/promises";
import { primaryPod, type OperatorCluster } from "../testing/index.ts";
import { statusOf } from "./looks.ts";

const statement = `SELECT @@rpl_semi_sync_source_enabled * @@rpl_semi_sync_source_wait_for_replica_count, VARIABLE_VALUE
  FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Rpl_semi_sync_source_clients'`;

/**
 * Compares, again and again, what is recorded with what is so while a cluster grows: never are more acknowledgements
 * recorded than a commit waits for, and never does anybody acknowledge who is not recorded.
 */
export function watchRecord(operator: OperatorCluster, cluster: string) {
  const stopping = new AbortController();
  const problems: string[] = [];
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const before = (await statusOf(operator, cluster)).clustering;
      const answer = await operator.query(await primaryPod(operator, cluster), statement);
      const after = (await statusOf(operator, cluster)).clustering;
      const [acknowledgements, clients] = answer.split("\t").map(Number);
      if (before!.acknowledgements > acknowledgements!)
        problems.push(`${before!.acknowledgements} > ${acknowledgements}`);
      if (after!.voters.length <= clients!) problems.push(`${clients} acknowledge of ${after!.voters.length} voters`);
      await delay(500);
    }
  };
  const ended = run();
  return {
    /** What was not as it has to be. */
    async stop(): Promise<string[]> {
      stopping.abort();
      await ended;
      return problems;
    },
  };
}
