// Times and durations as text and back. Wire times stay digit text; milliseconds are for display only.

/** Nanoseconds per millisecond, and the digits by which the two differ. */
export const NS_PER_MS = 1_000_000n;
const NS_PER_MS_DIGITS = 6;
export const US_PER_MS = 1000;
export const US_PER_S = 1_000_000;
export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** Integers with this many digits are exact as a Number. */
const MAX_EXACT_DIGITS = 15;
const ZERO = 48;
const LAST_DATE_MS = 8_640_000_000_000_000;

/** Unix milliseconds of a nanosecond timestamp in digit text, truncated. */
export function msOfNs(timestampNs: string): number {
  const cut = timestampNs.length - NS_PER_MS_DIGITS;
  if (cut > MAX_EXACT_DIGITS || timestampNs.startsWith("-"))
    return Number(timestampNs.slice(0, cut));
  // Digit by digit: runs for each frame, and converting a substring would take five times as long.
  let ms = 0;
  for (let i = 0; i < cut; i++) ms = ms * 10 + timestampNs.charCodeAt(i) - ZERO;
  return ms;
}

/** ISO 8601 UTC with milliseconds, or the bare number if it is outside the range of Date. */
export function formatIsoMs(ms: number): string {
  return Math.abs(ms) <= LAST_DATE_MS ? new Date(ms).toISOString() : String(ms);
}

/** A readable age: `0.4s`, `12s`, `3m05s`, `2h07m`, `4d03h`. Negative ages keep their sign. */
export function formatAge(ms: number): string {
  if (ms < 0) return `-${formatAge(-ms)}`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 10) return `${seconds}.${Math.floor((ms % 1000) / 100)}s`;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${pad2(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h${pad2(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d${pad2(hours % 24)}h`;
}

function pad2(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Parses `500ms`, `5s`, `2m`, `1h`, integer or fractional, to milliseconds; undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h)$/.exec(text);
  const unit = MS_PER_UNIT[match?.[2] ?? ""];
  if (match === null || unit === undefined) return undefined;
  return Math.round(Number(match[1]) * unit);
}

const UNIX_TIME = /^([0-9]{9,20})(?:\.([0-9]{1,9}))?$/;

/** Unix milliseconds of a time in seconds, milli-, micro- or nanoseconds since 1970, told apart by size: of 1973 to 5138. */
export function parseUnixTime(text: string): number | undefined {
  const [, digits = "", fraction = ""] = UNIX_TIME.exec(text) ?? [];
  const length = digits.length;
  if (length >= 18) return Number(digits.slice(0, -6));
  if (length >= 15) return Number(digits.slice(0, -3));
  if (length >= 12) return Number(digits);
  return length === 0 ? undefined : Number(digits + fraction.padEnd(3, "0").slice(0, 3));
}

const ISO =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})([T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,3})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?$/;

/**
 * Parses a Unix time or ISO 8601: a space may replace the T; a date alone is its start; without an offset it is UTC.
 * @returns Unix milliseconds, or undefined when the text is neither
 */
export function parseInstant(text: string): number | undefined {
  const match = ISO.exec(text);
  if (match === null) return parseUnixTime(text);
  const [, date, clockTime = "T00:00"] = match;
  const time = clockTime.replace(" ", "T");
  const ms = Date.parse(`${date}${/(?:Z|[+-][0-9]{2}:[0-9]{2})$/.test(time) ? time : `${time}Z`}`);
  // Date.parse would accept a day that does not exist, as one in the next month.
  const isReal = new Date(`${date}T00:00Z`).toJSON()?.startsWith(date ?? "") ?? false;
  return Number.isNaN(ms) || !isReal ? undefined : ms;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
