/** The vocabulary: the custom resources, and every name that users and objects know us by. */
export * from "./annotations.ts";
export * from "./conditions.ts";
export * from "./containers.ts";
export * from "./events.ts";
export * from "./group.ts";
export * from "./labels.ts";
export * from "./names.ts";
export * from "./ports.ts";
export * from "./users.ts";
export * from "./backuppolicy/types.ts";
export * from "./mysqlcluster/types.ts";
export type { AnyPartOf } from "./schema/fields.ts";
export { describeCauses } from "./validation/cause.ts";
export * from "./backuppolicy/validate.ts";
export * from "./mysqlcluster/defaults.ts";
export {
  decreasedReplicas,
  validateMySQLCluster,
  validateMySQLClusterCreation,
  validateMySQLClusterUpdate,
} from "./mysqlcluster/validate.ts";
export { growsStorage } from "./mysqlcluster/validate-volumes.ts";
