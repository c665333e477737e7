import { count, normalize, subtract, type Intervals } from "./intervals.ts";
import { formatSources, ordered, parseSources, type Sources } from "./parse.ts";

/**
 * A set of transactions, as gtid_executed, gtid_purged and Retrieved_Gtid_Set hold it. It never changes.
 *
 * @example GtidSet.parse(replica.executed).subtract(GtidSet.parse(primary.executed)).isEmpty
 */
export class GtidSet {
  static readonly empty = new GtidSet(new Map());
  readonly #sources: Sources;

  private constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Throws GTID_SET_INVALID. */
  static parse(text: string): GtidSet {
    return new GtidSet(parseSources(text));
  }

  get isEmpty(): boolean {
    return this.#sources.size === 0;
  }

  /** UUIDs of the servers that the transactions come from, each once, in order. */
  get servers(): string[] {
    return [...new Set([...this.#sources.keys()].map((source) => source.split(":")[0]!))];
  }

  /** How many transactions these are. */
  get size(): bigint {
    return [...this.#sources.values()].reduce((sum, intervals) => sum + count(intervals), 0n);
  }

  union(other: GtidSet): GtidSet {
    return this.#combine(other, (mine, theirs) => normalize([...mine, ...theirs]));
  }

  /** What is here and not there. */
  subtract(other: GtidSet): GtidSet {
    return this.#combine(other, subtract);
  }

  intersect(other: GtidSet): GtidSet {
    return this.subtract(this.subtract(other));
  }

  contains(other: GtidSet): boolean {
    return other.subtract(this).isEmpty;
  }

  equals(other: GtidSet): boolean {
    return this.toString() === other.toString();
  }

  /** Only the transactions that come from these servers. */
  from(servers: Iterable<string>): GtidSet {
    const wanted = new Set([...servers].map((server) => server.toLowerCase()));
    return new GtidSet(ordered([...this.#sources].filter(([source]) => wanted.has(source.split(":")[0]!))));
  }

  toString(): string {
    return formatSources(this.#sources);
  }

  #combine(other: GtidSet, combine: (mine: Intervals, theirs: Intervals) => Intervals): GtidSet {
    const names = new Set([...this.#sources.keys(), ...other.#sources.keys()]);
    return new GtidSet(
      ordered([...names].map((name) => [name, combine(this.#sources.get(name) ?? [], other.#sources.get(name) ?? [])])),
    );
  }
}
