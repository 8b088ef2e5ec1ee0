// Numbers and times as people read them. Exact text comes in and stays exact, but for `short`, which is for orientation alone.
import {
  approximate,
  type Decimal,
  formatDecimal,
  roundDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../units/time.ts";

export interface Display {
  /** Thousands with commas, or without. */
  readonly numbers: "grouped" | "plain";
  /** An IANA name, or undefined for the machine's own. */
  readonly timeZone: string | undefined;
}

/** `96970.04` as `96,970.04`, with a true minus sign. */
export function formatNumber(exact: string, { numbers }: Pick<Display, "numbers">): string {
  const isNegative = exact.startsWith("-");
  const text = isNegative ? `−${exact.slice(1)}` : exact;
  const point = text.indexOf(".");
  let at = point < 0 ? text.length : point;
  const first = isNegative ? 1 : 0;
  if (numbers === "plain" || at - first <= 3) return text;
  // From the right: this runs for every number of every frame.
  let shown = text.slice(at);
  for (; at - first > 3; at -= 3) shown = `,${text.slice(at - 3, at)}${shown}`;
  return text.slice(0, at) + shown;
}

/** With a plus, where the sign is the message. */
export function formatSigned(exact: string, display: Pick<Display, "numbers">): string {
  const text = formatNumber(exact, display);
  return /^[-\u2212]|^[0.,]*$/.test(text) ? text : `+${text}`;
}

/** Gained or lost money, with its sign and two decimals; below 1 with four. */
export function formatMoney(value: Decimal, display: Pick<Display, "numbers">): string {
  const isSmall = value.mantissa !== 0n && Math.abs(approximate(value)) < 1;
  const places = isSmall ? 4 : 2;
  const shown = widenDecimal(roundDecimal(value, places), places);
  return formatSigned(formatDecimal(shown), display);
}

const SHORT_UNITS = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "K"],
] as const;

/** `1.72B`, for a figure that is there to be compared at a glance; never in a copy or a file. */
export function formatShort(exact: string): string {
  const value = Number(exact);
  if (!Number.isFinite(value)) return exact;
  const size = Math.abs(value);
  // What would round up to the next unit is written in it.
  const [unit, name] = SHORT_UNITS.find(([least]) => size >= least * 0.999_995) ?? [1, ""];
  const scaled = size / unit;
  const places = name === "" ? (scaled >= 100 ? 0 : 2) : 2;
  return `${value < 0 ? "−" : ""}${scaled.toFixed(places)}${name}`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** `2m 05s`, `0.8 s`, `3d 4h`: never longer than two units. */
export function formatSpan(ms: number): string {
  if (ms < MINUTE_MS)
    return ms < 10_000
      ? `${(Math.max(0, ms) / SECOND_MS).toFixed(1)} s`
      : `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS)
    return `${Math.floor(ms / MINUTE_MS)}m ${two(Math.floor(ms / SECOND_MS) % 60)}s`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)}h ${two(Math.floor(ms / MINUTE_MS) % 60)}m`;
  return `${Math.floor(ms / DAY_MS)}d ${Math.floor(ms / HOUR_MS) % 24}h`;
}

/** `00:28`, `1:02:07`: time that is left. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND_MS));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:` : ""}${two(minutes)}:${two(seconds % 60)}`;
}

/** Minutes by which a zone is ahead of UTC, by quarter of an hour: formats of zones are slow, and no zone changes in between. */
const offsets = new Map<string, number>();
const QUARTER_MS = 15 * MINUTE_MS;
const MAX_OFFSETS = 5000;

function offsetMs(ms: number, timeZone: string | undefined): number {
  if (timeZone === "UTC") return 0;
  const quarter = Math.floor(ms / QUARTER_MS);
  const key = `${timeZone}/${quarter}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    offset =
      timeZone === undefined
        ? -new Date(ms).getTimezoneOffset() * MINUTE_MS
        : zoneOffset(ms, timeZone);
    if (offsets.size >= MAX_OFFSETS) offsets.clear();
    offsets.set(key, offset);
  }
  return offset;
}

function zoneOffset(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
  }).formatToParts(ms);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  const local = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return local - Math.floor(ms / SECOND_MS) * SECOND_MS;
}

const MAX_DATE_MS = 8_640_000_000_000_000;

/** `13:48:02`, or `13:48:02.517`, in the zone. @param ms Unix milliseconds */
export function formatTime(
  ms: number,
  { timeZone }: Pick<Display, "timeZone">,
  hasMs = false,
): string {
  if (!(Math.abs(ms) < MAX_DATE_MS)) return String(ms);
  const inDay = (((Math.floor(ms) + offsetMs(ms, timeZone)) % DAY_MS) + DAY_MS) % DAY_MS;
  const seconds = Math.floor(inDay / SECOND_MS);
  const time = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hasMs ? `${time}.${String(inDay % 1000).padStart(3, "0")}` : time;
}

/** `2026-05-28`. */
export function formatDay(ms: number, { timeZone }: Pick<Display, "timeZone">): string {
  if (!(Math.abs(ms) < MAX_DATE_MS)) return String(ms);
  return new Date(Math.floor(ms) + offsetMs(ms, timeZone)).toISOString().slice(0, 10);
}

export interface DisplayAt extends Display {
  /** Unix milliseconds by the service's clock. */
  readonly nowMs: number;
}

const YEAR = "2026-";

/** `13:48:02`; half a day from now `05-27 13:48:02`, half a year from it `2025-05-27 13:48:02`. */
export function formatWhen(ms: number, display: DisplayAt, hasMs = false): string {
  const fromNowMs = Math.abs(ms - display.nowMs);
  if (fromNowMs < DAY_MS / 2) return formatTime(ms, display, hasMs);
  return formatDayTime(ms, display, hasMs).slice(fromNowMs < 182 * DAY_MS ? YEAR.length : 0);
}

/** `2026-05-28 13:48:02`. */
export function formatDayTime(
  ms: number,
  display: Pick<Display, "timeZone">,
  hasMs = false,
): string {
  return `${formatDay(ms, display)} ${formatTime(ms, display, hasMs)}`;
}
