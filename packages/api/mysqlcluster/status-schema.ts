import type { Condition } from "@moco-ts/kube";
import { Type } from "typebox";
import { integer, keyedList, nullable, oneOf, textMap, time } from "../schema/fields.ts";

/** Kubernetes' own type, described here because our definition tells more of it. */
const condition = Type.Unsafe<Condition>(
  Type.Object({
    type: Type.String({
      maxLength: 316,
      pattern: "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
      description: "What the condition is about.",
    }),
    status: oneOf(["True", "False", "Unknown"], { description: "Whether it is so." }),
    observedGeneration: Type.Optional(
      integer("int64", { minimum: 0, description: "Generation of the MySQLCluster that this was found for." }),
    ),
    lastTransitionTime: time({ description: "Since when the status is what it is." }),
    reason: Type.String({
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
      description: "Why, in a word for programs.",
    }),
    message: Type.String({ maxLength: 32_768, description: "Why, in a sentence for people." }),
  }),
);

const backup = Type.Object(
  {
    time: Type.Optional(
      nullable(time({ description: "When the backup was started: part of its path in the bucket." })),
    ),
    elapsed: Type.Optional(Type.String({ description: "How long the backup took." })),
    sourceIndex: Type.Optional(Type.Integer({ description: "Instance that was backed up." })),
    sourceUUID: Type.Optional(Type.String({ description: "server_uuid of the instance that was backed up." })),
    uuidSet: Type.Optional(textMap({ description: "server_uuid of each instance, by its index." })),
    binlogFilename: Type.Optional(Type.String({ description: "Binary log that the source was writing." })),
    gtidSet: Type.Optional(Type.String({ description: "Transactions that the dump has." })),
    dumpSize: Type.Optional(integer("int64", { description: "Bytes of the dump in the bucket." })),
    binlogSize: Type.Optional(integer("int64", { description: "Bytes of the binary logs in the bucket." })),
    workDirUsage: Type.Optional(integer("int64", { description: "Most bytes that the work volume held." })),
    warnings: Type.Optional(nullable(Type.Array(Type.String(), { description: "What did not go as it should." }))),
  },
  { description: "The last successful backup." },
);

const uuids = (description: string) => Type.Array(Type.String(), { description });

/** Errs on the safe side: see safety of data. */
const clustering = Type.Object(
  {
    primary: Type.String({ description: "server_uuid of the primary." }),
    primaryAddress: Type.String({ description: "Where the primary was last seen." }),
    voters: uuids("server_uuids whose acknowledgements may count, the primary's included."),
    acknowledgements: Type.Integer({ minimum: 0, description: "Acknowledgements that every commit waits for." }),
    primaries: uuids("server_uuids that ever were the primary's."),
    deposed: uuids("Voters that were the primary and have no source."),
    written: Type.Boolean({ description: "Whether the cluster ever had a transaction." }),
    opened: Type.Optional(Type.Boolean({ description: "Whether clients were ever let in." })),
    revision: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "Counts writes of this record, so that one that comes late is refused.",
      }),
    ),
  },
  { description: "What replication must not forget, so that no acknowledged write is lost." },
);

/**
 * No field has to be given, since each belongs to one writer, who applies it without the others. Today's backup image
 * replaces the status as a whole and does not know `clustering`, which is written again when it is missed.
 */
export const mysqlClusterStatusSchema = Type.Object(
  {
    conditions: Type.Optional(keyedList(["type"], condition, { description: "What holds for the cluster, and why." })),
    currentPrimaryIndex: Type.Integer({ default: 0, description: "Index of the primary instance." }),
    syncedReplicas: Type.Optional(Type.Integer({ description: "Number of Ready instances, the primary included." })),
    errantReplicas: Type.Optional(
      Type.Integer({ description: "Number of instances with transactions that the primary does not have." }),
    ),
    errantReplicaList: Type.Optional(
      Type.Array(Type.Integer(), {
        description: "Indexes of instances with transactions that the primary does not have.",
      }),
    ),
    clustering: Type.Optional(clustering),
    observedClusteringRevision: Type.Optional(
      Type.Integer({ description: "Revision of the record of replication that the conditions are about." }),
    ),
    backup: Type.Optional(backup),
    restoredTime: Type.Optional(time({ description: "When data was restored from a backup." })),
    cloned: Type.Optional(Type.Boolean({ description: "Whether the data of the replication source has been cloned." })),
    reconcileInfo: Type.Optional(
      Type.Object(
        {
          generation: Type.Optional(
            integer("int64", { description: "Generation of the MySQLCluster that its resources were made for." }),
          ),
          reconcileVersion: Type.Optional(
            Type.Integer({ description: "Version of the rules that its resources were made by." }),
          ),
        },
        { description: "What the cluster's resources were made from." },
      ),
    ),
  },
  { description: "What is the case." },
);
