import { constantSections, droppedOptions, safetyOptions } from "./constants.ts";
import { defaultOptions, version2Options, type Options } from "./defaults.ts";
import { mayBeUnknown } from "./removed.ts";
import { bufferPoolSize, parseOptionSize } from "./sizes.ts";
import { podPaths } from "../paths.ts";

export interface MyCnfOptions {
  /** Of the reconciler. Version 1 is what exists already, to the byte; version 2 starts on MySQL 8.0, 8.4 and 9.7. */
  readonly version: 1 | 2;
  /** The data of the user's ConfigMap: each key is one option, but `_include`, which is copied as it is. */
  readonly userOptions: Options;
  /** Bytes: what mysqld's container requests, or its limit without a request, or 0. */
  readonly mysqldMemory: bigint | number;
  /** The directory of ca.crt, tls.crt and tls.key that mysqld offers TLS with. Version 2 only. Default: /grpc-cert. */
  readonly certificateDirectory?: string;
}

const verbatimKey = "_include";
const loosePrefix = "loose_";

/**
 * The text of my.cnf: defaults, then the user's options, then what can't be changed.
 *
 * @example generateMyCnf({ version: 2, userOptions: { long_query_time: "0" }, mysqldMemory: 2 ** 30 })
 */
export function generateMyCnf(options: MyCnfOptions): string {
  const { version, userOptions } = options;
  const { [verbatimKey]: verbatim = "", ...rest } = userOptions;
  const user = normalized(rest);
  const mysqld = version === 1 ? version1(user, options) : version2(user, options);
  const sections: [string, Iterable<[string, string]>][] = [
    ["client", Object.entries(constantSections.client)],
    ["mysql", Object.entries(constantSections.mysql)],
    ["mysqld", mysqld],
  ];
  const text = sections.map(([name, entries]) => {
    const include = name === "mysqld" && verbatim !== "" ? `${verbatim}\n` : "";
    const lines = [...entries]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, value]) => `${key} = ${value}\n`);
    return `[${name}]\n${include}${lines.join("")}\n`;
  });
  return `${text.join("")}!includedir ${podPaths.instanceConfiguration}\n`;
}

function version1(user: Map<string, string>, { mysqldMemory }: MyCnfOptions): Map<string, string> {
  const merged = merge(new Map(Object.entries(defaultOptions)), user);
  if (!merged.has("innodb_buffer_pool_size")) {
    merged.set("innodb_buffer_pool_size", String(bufferPoolSize(BigInt(mysqldMemory))));
  }
  for (const option of droppedOptions) merged.delete(option);
  return merge(merged, Object.entries(constantSections.mysqld));
}

function version2(user: Map<string, string>, options: MyCnfOptions): Map<string, string> {
  const { mysqldMemory, certificateDirectory = podPaths.certificates } = options;
  const merged = merge(new Map(Object.entries({ ...defaultOptions, ...version2Options })), user);
  if (!hasEither(merged, "innodb_buffer_pool_size")) {
    merged.set("innodb_buffer_pool_size", String(bufferPoolSize(BigInt(mysqldMemory))));
  }
  for (const option of droppedOptions) deleteBoth(merged, option);
  const capacity = redoLogCapacity(merged);
  if (capacity !== undefined) merged.set("loose_innodb_redo_log_capacity", String(capacity));
  // A user who brings one of these files brings them all: parts of two certificates don't fit together.
  if (!["ssl_ca", "ssl_cert", "ssl_key"].some((option) => hasEither(merged, option))) {
    merged.set("ssl_ca", `${certificateDirectory}/ca.crt`);
    merged.set("ssl_cert", `${certificateDirectory}/tls.crt`);
    merged.set("ssl_key", `${certificateDirectory}/tls.key`);
  }
  const all = merge(merged, Object.entries({ ...constantSections.mysqld, ...safetyOptions }));
  return new Map([...all].map(([key, value]) => [mayBeUnknown(key) ? loosePrefix + key : key, value]));
}

/**
 * Since MySQL 8.0.30 one option replaces two. If it is given, the two are ignored, even if they are the user's: so it
 * has to say what they say.
 */
function redoLogCapacity(options: ReadonlyMap<string, string>): bigint | undefined {
  if (hasEither(options, "innodb_redo_log_capacity")) return undefined;
  const either = (key: string): string => options.get(key) ?? options.get(loosePrefix + key) ?? "";
  const size = parseOptionSize(either("innodb_log_file_size"));
  const files = parseOptionSize(either("innodb_log_files_in_group"));
  return size === undefined || files === undefined ? undefined : size * files;
}

/** With `-` as `_`. Of two spellings of one option, the later in order of names wins. */
function normalized(options: Options): Map<string, string> {
  const keys = Object.keys(options).sort();
  return new Map(keys.map((key) => [key.replaceAll("-", "_"), options[key]!]));
}

/** The later options replace the earlier ones, loose or not. */
function merge(earlier: Map<string, string>, later: Iterable<[string, string]>): Map<string, string> {
  const merged = new Map(earlier);
  for (const [key, value] of later) {
    deleteBoth(merged, key);
    merged.set(key, value);
  }
  return merged;
}

function deleteBoth(options: Map<string, string>, key: string): void {
  const base = key.startsWith(loosePrefix) ? key.slice(loosePrefix.length) : key;
  options.delete(base);
  options.delete(loosePrefix + base);
}

function hasEither(options: ReadonlyMap<string, string>, key: string): boolean {
  return options.has(key) || options.has(loosePrefix + key);
}
