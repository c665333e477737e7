/** Transaction numbers from `first` to `last`, both included. */
export interface Interval {
  readonly first: bigint;
  readonly last: bigint;
}

/** In order, apart from each other, none empty: what all functions here give, and all but `normalize` take. */
export type Intervals = readonly Interval[];

export function normalize(intervals: readonly Interval[]): Intervals {
  const sorted = intervals.filter(({ first, last }) => first <= last).toSorted((a, b) => (a.first < b.first ? -1 : 1));
  const joined: { first: bigint; last: bigint }[] = [];
  for (const { first, last } of sorted) {
    const previous = joined.at(-1);
    if (previous === undefined || previous.last + 1n < first) joined.push({ first, last });
    else if (last > previous.last) previous.last = last;
  }
  return joined;
}

export function subtract(from: Intervals, what: Intervals): Intervals {
  const rest: Interval[] = [];
  let next = 0;
  for (const { first, last } of from) {
    let start = first;
    while (next < what.length && what[next]!.last < start) next++;
    for (let index = next; index < what.length && what[index]!.first <= last; index++) {
      const { first: holeFirst, last: holeLast } = what[index]!;
      if (start < holeFirst) rest.push({ first: start, last: holeFirst - 1n });
      start = holeLast + 1n;
    }
    if (start <= last) rest.push({ first: start, last });
  }
  return rest;
}

export function count(intervals: Intervals): bigint {
  return intervals.reduce((sum, { first, last }) => sum + (last - first + 1n), 0n);
}
