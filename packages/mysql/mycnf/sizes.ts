const mebi = 1n << 20n;

/** What InnoDB gets of a container's memory: seven tenths, in whole MiB, and never less than MySQL's own default. */
export function bufferPoolSize(memory: bigint): bigint {
  const size = (((memory / 100n) * 70n) / mebi) * mebi;
  return size > 128n * mebi ? size : 128n * mebi;
}

const units: Readonly<Record<string, bigint>> = {
  "": 1n,
  K: 1n << 10n,
  M: mebi,
  G: 1n << 30n,
  T: 1n << 40n,
  P: 1n << 50n,
  E: 1n << 60n,
};

/** A size as option files have it (`800M`), in bytes; undefined if it is none. */
export function parseOptionSize(text: string): bigint | undefined {
  const [, digits, unit = ""] = /^(\d+)([KMGTPE]?)$/i.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : BigInt(digits) * units[unit.toUpperCase()]!;
}
