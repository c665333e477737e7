import { parseDuration } from "./duration.ts";
import { CodedError } from "./errors.ts";

/** When something is due, again and again. */
export interface Schedule {
  /** The first time after the given one; undefined if there is none within five years, as on 31 February. */
  next(after: Date): Date | undefined;
}

interface Field {
  readonly name: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly words?: readonly string[];
}

const fields = [
  { name: "minute", minimum: 0, maximum: 59 },
  { name: "hour", minimum: 0, maximum: 23 },
  { name: "day of month", minimum: 1, maximum: 31 },
  { name: "month", minimum: 1, maximum: 12, words: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { name: "day of week", minimum: 0, maximum: 6, words: "sun mon tue wed thu fri sat".split(" ") },
] as const satisfies readonly Field[];

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/**
 * A schedule as Kubernetes' CronJobs and users of Go's cron take it: five fields, `@daily` and its like, or
 * `@every 1h30m`; `TZ=Asia/Tokyo` in front chooses a time zone, else it is that of the process. Hours that are left out
 * when clocks go forward are left out here too.
 *
 * @example parseSchedule("30 3 * * mon-fri").next(new Date())
 */
export function parseSchedule(text: string): Schedule {
  const [, zone, rest = ""] = /^(?:(?:CRON_)?TZ=(\S*)\s+)?(.*)$/s.exec(text.trim()) ?? [];
  const wallClock = wallClockOf(zone);
  if (rest === "") throw invalid("it is empty");
  if (rest.startsWith("@every ")) return every(rest.slice("@every ".length));
  const expression = rest.startsWith("@") ? descriptors[rest] : rest;
  if (expression === undefined) throw invalid(`there is no ${rest}`);
  const parts = expression.split(/\s+/);
  if (parts.length !== fields.length) throw invalid(`expected 5 fields, found ${parts.length}: ${rest}`);
  const [minutes, hours, days, months, weekdays] = fields.map((field, at) => parseField(parts[at]!, field)) as Sets;
  return { next: (after) => firstMatch(after, { minutes, hours, days, months, weekdays }, wallClock) };
}

type Sets = [Values, Values, Values, Values, Values];

interface Values {
  has(value: number): boolean;
  /** Written as `*`: then the other of the two fields for days decides alone. */
  readonly any: boolean;
}

function parseField(text: string, field: Field): Values {
  const values = new Set<number>();
  let any = false;
  for (const part of text.split(",").filter(Boolean)) {
    const [, range = "", step] = /^([^/]*)(?:\/(\d+))?$/.exec(part) ?? [];
    const every = step === undefined ? 1 : Number(step);
    const all = range === "*" || range === "?";
    const [low = "", high] = range.split("-", 2);
    const first = all ? field.minimum : parseValue(low, field, part);
    // `5/10` is `5-59/10`.
    const last =
      all || (high === undefined && step !== undefined)
        ? field.maximum
        : high === undefined
          ? first
          : parseValue(high, field, part);
    if (every === 0 || first > last || range.split("-").length > 2) throw invalid(`${field.name} ${part}`);
    for (let value = first; value <= last; value += every) values.add(value);
    any ||= all && every === 1;
  }
  if (values.size === 0) throw invalid(`${field.name} ${text}`);
  return { has: (value) => values.has(value), any };
}

function parseValue(text: string, field: Field, part: string): number {
  const word = field.words?.indexOf(text.toLowerCase()) ?? -1;
  const value = word >= 0 ? word + field.minimum : /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (value >= field.minimum && value <= field.maximum) return value;
  throw invalid(`${field.name} ${part} (${field.minimum} to ${field.maximum})`);
}

/** Whole seconds, at least one. */
function every(text: string): Schedule {
  let period: number;
  try {
    period = Math.max(1, Math.floor(parseDuration(text) / 1000)) * 1000;
  } catch (error) {
    throw invalid(`@every ${text}`, error);
  }
  return { next: (after) => new Date(Math.floor(after.getTime() / 1000) * 1000 + period) };
}

interface Rules {
  readonly minutes: Values;
  readonly hours: Values;
  readonly days: Values;
  readonly months: Values;
  readonly weekdays: Values;
}

const minute = 60_000;
const hour = 60 * minute;
const horizon = 5 * 366 * 24 * hour;

/** Goes from one time to the next by what does not match, always to a whole minute, and never past a day's end. */
function firstMatch(after: Date, rules: Rules, wallClock: WallClock): Date | undefined {
  const limit = after.getTime() + horizon;
  let at = Math.floor(after.getTime() / minute) * minute + minute;
  while (at <= limit) {
    const now = wallClock(at);
    if (!matchesDay(now, rules)) {
      // Clocks may be set by an hour or two meanwhile, so the last hours of a day are gone through one by one.
      at += now.hour < 20 ? (21 - now.hour) * hour - now.minute * minute : hour - now.minute * minute;
    } else if (!rules.hours.has(now.hour)) {
      at += hour - now.minute * minute;
    } else if (!rules.minutes.has(now.minute)) {
      at += minute;
    } else {
      return new Date(at);
    }
  }
  return undefined;
}

/** Where both kinds of days are restricted, either will do. */
function matchesDay(now: WallTime, { months, days, weekdays }: Rules): boolean {
  if (!months.has(now.month)) return false;
  const [day, weekday] = [days.has(now.day), weekdays.has(now.weekday)];
  return days.any || weekdays.any ? day && weekday : day || weekday;
}

interface WallTime {
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

type WallClock = (milliseconds: number) => WallTime;

function wallClockOf(zone: string | undefined): WallClock {
  if (zone === undefined) return localTime;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    });
  } catch (error) {
    throw invalid(`there is no time zone ${zone}`, error);
  }
  return (milliseconds) => {
    const parts = format.formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]);
    const { year, month, day, hour, minute } = Object.fromEntries(parts);
    return { month, day, hour, minute, weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay() };
  };
}

function localTime(milliseconds: number): WallTime {
  const date = new Date(milliseconds);
  return {
    month: date.getMonth() + 1,
    day: date.getDate(),
    weekday: date.getDay(),
    hour: date.getHours(),
    minute: date.getMinutes(),
  };
}

function invalid(problem: string, cause?: unknown): CodedError {
  return new CodedError(
    "SCHEDULE_INVALID",
    `not a schedule: ${problem} (examples: */5 * * * *, 30 3 * * mon-fri, @daily, @every 1h)`,
    { cause },
  );
}
