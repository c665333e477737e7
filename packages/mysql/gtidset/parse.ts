import { CodedError } from "@moco-ts/base";
import { normalize, type Interval, type Intervals } from "./intervals.ts";

/** Transactions by where they come from: a server's UUID, and for tagged ones `uuid:tag`. No empty ones, in order. */
export type Sources = ReadonlyMap<string, Intervals>;

const numbers = /^(\d{1,19})(?:-(\d{1,19}))?$/;
const tag = /^[a-z_][a-z0-9_]{0,31}$/;
const uuid = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** Reads all forms that MySQL reads: white space, capitals, UUIDs in braces or without dashes, any order, overlaps. */
export function parseSources(text: string): Sources {
  const found = new Map<string, Interval[]>();
  for (const part of text.toLowerCase().replaceAll(/\s+/g, "").split(",")) {
    if (part === "") continue;
    const [head = "", ...tokens] = part.split(":");
    const digits = uuid.exec(head.replace(/^\{(.*)\}$/, "$1"));
    if (!digits || tokens.length === 0) throw invalid(part);
    const server = digits.slice(1).join("-");
    let source = server;
    for (const token of tokens) {
      const interval = numbers.exec(token);
      if (interval) {
        const first = BigInt(interval[1]!);
        if (first === 0n) throw invalid(part);
        found.set(source, [...(found.get(source) ?? []), { first, last: BigInt(interval[2] ?? first) }]);
      } else if (tag.test(token)) source = `${server}:${token}`;
      else throw invalid(part);
    }
  }
  return ordered([...found].map(([source, intervals]) => [source, normalize(intervals)]));
}

/** As MySQL writes it, but on one line: a server's untagged transactions come first, then its tags. */
export function formatSources(sources: Sources): string {
  const byServer = new Map<string, string>();
  for (const [source, intervals] of sources) {
    const [server = "", name] = source.split(":");
    const ranges = intervals.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
    const text = [...(name === undefined ? [] : [name]), ...ranges].join(":");
    byServer.set(server, `${byServer.get(server) ?? server}:${text}`);
  }
  return [...byServer.values()].join(",");
}

export function ordered(entries: [string, Intervals][]): Sources {
  return new Map(entries.filter(([, intervals]) => intervals.length > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function invalid(part: string): CodedError {
  return new CodedError("GTID_SET_INVALID", `not a set of GTIDs: ${JSON.stringify(part.slice(0, 100))}`);
}
