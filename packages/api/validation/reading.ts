/** Reading objects whose form nobody has checked yet: what is not as it should be counts as not there. */

export function recordOf<T extends object>(value: T | null | undefined): Partial<T> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** Items keep their places: those that are no records count as empty ones. */
export function recordsOf<T extends object>(list: readonly T[] | null | undefined): readonly Partial<T>[] {
  return Array.isArray(list) ? list.map((item: T) => recordOf(item)) : [];
}

/** An absent number is zero, as in Go. */
export function numberOf(value: number | null | undefined): number {
  return typeof value === "number" ? value : 0;
}

/** Texts that are absent or empty mean the same. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
