import { Type } from "typebox";
import { integer, nullable, oneOf } from "../schema/fields.ts";
import { jobConfig } from "../schema/job.ts";

export const backupPolicySpecSchema = Type.Object(
  {
    schedule: Type.String({ description: "When to back up, in cron form, such as 0 3 * * * or @daily." }),
    timeZone: Type.Optional(
      nullable(
        Type.String({ description: "Time zone of the schedule, such as Asia/Tokyo. Default: that of the cluster." }),
      ),
    ),
    jobConfig,
    startingDeadlineSeconds: Type.Optional(
      nullable(integer("int64", { description: "Seconds after which a Job that could not start counts as missed." })),
    ),
    concurrencyPolicy: oneOf(["Allow", "Forbid", "Replace"], {
      default: "Allow",
      description: "What happens if the last backup still runs when the next is due.",
    }),
    activeDeadlineSeconds: Type.Optional(
      nullable(integer("int64", { description: "Seconds after which a running Job is ended." })),
    ),
    backoffLimit: Type.Optional(
      nullable(integer("int32", { minimum: 0, description: "How often a failed Job is tried again." })),
    ),
    successfulJobsHistoryLimit: Type.Optional(
      nullable(integer("int32", { minimum: 0, description: "Number of successful Jobs that are kept." })),
    ),
    failedJobsHistoryLimit: Type.Optional(
      nullable(integer("int32", { minimum: 0, description: "Number of failed Jobs that are kept." })),
    ),
  },
  { description: "When and how the clusters that refer to this policy are backed up." },
);
