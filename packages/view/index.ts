/** Collects all that is known of a cluster into one ClusterView, once or as it changes. */
export * from "./model.ts";
export type { CloneReport, InstanceReport, ReplicaReport, SourceReport } from "./instances/report.ts";
export { collectView, type ViewOptions } from "./collect.ts";
export { followView, type FollowOptions } from "./follow.ts";
