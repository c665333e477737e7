/** A time span in one or two units, as kubectl prints it: 45s, 3m12s, 5h, 2d3h. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.max(Math.floor(milliseconds / 1000), 0);
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 600) return two(seconds, 60, "m", 1, "s");
  if (seconds < 3 * hour) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 8 * hour) return two(seconds, hour, "h", 60, "m");
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`;
  if (seconds < 8 * day) return two(seconds, day, "d", hour, "h");
  return `${Math.floor(seconds / day)}d`;
}

const hour = 3600;
const day = 24 * hour;

function two(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeUnit}${rest > 0 ? `${rest}${smallUnit}` : ""}`;
}
