/** More different texts than any cluster should have, and few enough to hold. */
const most = 1000;

/**
 * A parser that remembers what it made of a text. Thousands of claims say the same few things, and say them again in every
 * round. Mistakes are not remembered.
 */
export function remember<T>(parse: (text: string) => T & {}): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const value = parse(text);
    if (known.size >= most) known.clear();
    known.set(text, value);
    return value;
  };
}
