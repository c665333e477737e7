import * as fc from "fast-check";

type Holder = Record<string, unknown>;

/** What a user may do to a manifest without making it another kind of thing. */
const changes = ["remove", "null", "empty", "other", "repeat"] as const;

export interface Mutation {
  /** Chooses one of the places in the object. */
  readonly place: number;
  readonly change: (typeof changes)[number];
  readonly text: string;
  readonly number: number;
}

export const mutations = fc.array(
  fc.record<Mutation>({
    place: fc.nat(),
    change: fc.constantFrom(...changes),
    text: fc.string({ maxLength: 12 }),
    number: fc.integer({ min: -1, max: 100 }),
  }),
  { maxLength: 6 },
);

/** The object with all mutations, one after the other. The given one stays as it is. */
export function mutated<T extends object>(object: T, steps: readonly Mutation[]): T {
  const copy = structuredClone(object);
  for (const step of steps) mutate(copy, step);
  return copy;
}

function mutate(object: object, { place, change, text, number }: Mutation): void {
  const [holder, key] = find(object as Holder, place);
  const value = holder[key];
  if (change === "remove" && Array.isArray(holder)) holder.splice(Number(key), 1);
  else if (change === "remove") delete holder[key];
  else if (change === "null" && !Array.isArray(holder)) holder[key] = null;
  else if (change === "empty") holder[key] = emptied(value);
  else if (change === "other") holder[key] = other(value, text, number);
  else if (change === "repeat" && Array.isArray(holder)) holder.push(structuredClone(value));
}

/** Walks down the object; the number says where to turn, and where to stop. */
function find(holder: Holder, place: number): [Holder, string] {
  const keys = Object.keys(holder);
  const key = keys[place % keys.length] ?? "";
  const rest = Math.floor(place / Math.max(keys.length, 1));
  const value = holder[key];
  const deeper = typeof value === "object" && value !== null && Object.keys(value).length > 0 && rest % 8 !== 0;
  return deeper ? find(value as Holder, rest) : [holder, key];
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value === "object" && value !== null) return {};
  return typeof value === "string" && !isQuantity(value) ? "" : value;
}

function other(value: unknown, text: string, number: number): unknown {
  if (isQuantity(value)) return `${Math.abs(number)}Mi`;
  if (typeof value === "string") return text;
  if (typeof value === "number") return number;
  return typeof value === "boolean" ? !value : value;
}

/** The API server takes nothing else in its place. */
function isQuantity(value: unknown): boolean {
  return typeof value === "string" && /^\d+(m|[KMG]i)?$/.test(value);
}
