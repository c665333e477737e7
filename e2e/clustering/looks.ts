import type { MySQLCluster, MySQLClusterStatus } from "@moco-ts/api";
import { expect } from "vitest";
import { patience, waitForCondition, type OperatorCluster } from "../testing/index.ts";

export async function statusOf(operator: OperatorCluster, cluster: string): Promise<Partial<MySQLClusterStatus>> {
  return (await operator.get<MySQLCluster>("mysqlcluster", cluster)).status ?? {};
}

export async function primaryOf(operator: OperatorCluster, cluster: string): Promise<number> {
  return (await statusOf(operator, cluster)).currentPrimaryIndex ?? 0;
}

/** Ordinals of all but the primary. */
export async function replicasOf(operator: OperatorCluster, cluster: string): Promise<number[]> {
  const { spec, status } = await operator.get<MySQLCluster>("mysqlcluster", cluster);
  return Array.from({ length: spec.replicas }, (_, ordinal) => ordinal).filter(
    (ordinal) => ordinal !== (status?.currentPrimaryIndex ?? 0),
  );
}

/** What was told of a cluster under this reason. */
export async function eventsOf(operator: OperatorCluster, cluster: string, reason: string): Promise<string[]> {
  const fields = `involvedObject.name=${cluster},reason=${reason}`;
  const events = await operator.list<{ message?: string }>("events", "--field-selector", fields);
  return events.map(({ message = "" }) => message);
}

/** Waits until the cluster is Healthy with so many voters, and a commit waits for as many of them as it should. */
export async function waitForVoters(operator: OperatorCluster, cluster: string, voters: number): Promise<void> {
  const recorded = async () => {
    const { clustering } = await statusOf(operator, cluster);
    return { voters: clustering?.voters.length, acknowledgements: clustering?.acknowledgements };
  };
  await expect.poll(recorded, patience).toEqual({ voters, acknowledgements: Math.floor(voters / 2) });
  await waitForCondition(operator, cluster, "Healthy");
}

export function serverUuid(operator: OperatorCluster, pod: string): Promise<string> {
  return operator.query(pod, "SELECT @@server_uuid");
}

/** Somebody writes where nobody should. */
export async function writeAstray(operator: OperatorCluster, pod: string, database: string): Promise<void> {
  const statements = [
    "SET GLOBAL super_read_only = OFF",
    "SET GLOBAL read_only = OFF",
    `CREATE DATABASE ${database}`,
    "SET GLOBAL super_read_only = ON",
  ];
  await operator.query(pod, statements.join("; "));
}
