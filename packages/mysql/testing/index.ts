export * from "./container.ts";
export * from "./freeze.ts";
export * from "./mysqld.ts";
export * from "./instances.ts";
export * from "./proxy.ts";
