export * from "./container.ts";
export * from "./mysqld.ts";
