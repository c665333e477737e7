/** A controller runtime for Node. It knows no MySQL. */
export * from "./types/object.ts";
export * from "./types/resource.ts";
export * from "./types/generated/index.ts";
export * from "./rest/client.ts";
export * from "./rest/errors.ts";
export * from "./queue/queue.ts";
export { type Priority } from "./queue/lanes.ts";
