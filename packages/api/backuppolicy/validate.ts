import type { FieldCause } from "@moco-ts/kube";
import type { MySQLCluster } from "../mysqlcluster/types.ts";
import { validateSchedule } from "../mysqlcluster/validate.ts";
import { invalid } from "../validation/cause.ts";
import { recordOf, textOf } from "../validation/reading.ts";
import type { BackupPolicy } from "./types.ts";

/** What is wrong with a policy. */
export function validateBackupPolicy(policy: BackupPolicy): FieldCause[] {
  const { schedule, timeZone } = recordOf(policy.spec);
  const causes = validateSchedule("spec.schedule", typeof schedule === "string" ? schedule : "");
  if (causes.length === 0 && /TZ=/.test(schedule!)) {
    // CronJobs refuse it too.
    causes.push(invalid("spec.schedule", schedule, "the time zone belongs into spec.timeZone"));
  }
  const zone = textOf(timeZone);
  if (zone !== undefined && !isTimeZone(zone)) causes.push(invalid("spec.timeZone", zone, "unknown time zone"));
  return causes;
}

/** Clusters that would be without their policy: it can't be deleted as long as there are any. */
export function clustersWithPolicy(policyName: string, clusters: readonly MySQLCluster[]): MySQLCluster[] {
  return clusters.filter(({ spec }) => recordOf(spec).backupPolicyName === policyName);
}

function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    // A RangeError says that there is none of this name.
    return false;
  }
}
