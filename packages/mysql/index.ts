/** All that is said to mysqld. */
export * from "./paths.ts";
export * from "./version.ts";
export * from "./plugins.ts";
export * from "./users.ts";
export { connect, Connection, Secret, type ConnectOptions, type QueryOptions } from "./connection/connection.ts";
export type { Row, TlsOptions, Value } from "./connection/connection.ts";
export * from "./connection/errors.ts";
export * from "./instance/state.ts";
export * from "./instance/instance.ts";
export { openingLock } from "./instance/lock.ts";
export { MysqlInstance, type MysqlInstanceOptions } from "./instance/mysql-instance.ts";
export { GtidSet } from "./gtidset/gtidset.ts";
export { generateMyCnf, type MyCnfOptions } from "./mycnf/generate.ts";
export { defaultFluentBitTemplate, expandFluentBitTemplate } from "./mycnf/fluent-bit.ts";
export { reviewUserOptions, type OptionProblem } from "./mycnf/review.ts";
