// How exact numbers and times are shown on the screen: digits in groups, derived amounts rounded, times in the user's zone.
// Not for exact output: the view of one row, copies, JSON, CSV, logs and recordings have exact text and UTC.
import { absoluteDecimal, divideInteger, formatDecimal, parseDecimal } from "../units/decimal.ts";
import {
  formatIsoMs,
  formatTimeOfDay,
  LAST_DATE_MS,
  MINUTE_MS,
  parseInstant,
} from "../units/time.ts";

export interface DisplayChoice {
  /** Commas between thousands, or none. */
  readonly numbers: "grouped" | "plain";
  /** `local`, or a name in the IANA time zone database, such as `UTC`. */
  readonly timeZone: string;
}

export const DEFAULT_DISPLAY: DisplayChoice = {
  numbers: "grouped",
  timeZone: "UTC",
};

/** Decimals of derived amounts from 1 up; amounts of the service keep their own. */
const MONEY_DECIMALS = 2;
/** Significant digits of an amount below 1. */
const SIGNIFICANT = 3;
const MAX_PLACES = 12;
/** Step of cached offsets: all time zone offsets are multiples of it. */
const OFFSET_STEP_MS = 900_000;
const MAX_ZONES = 256;
const GROUP = 3;

const UNITS = ["", "K", "M", "B", "T"];

function getUnit(digits: number): readonly [unit: string, zeros: number] {
  const steps = Math.min(UNITS.length - 1, Math.floor((digits - 1) / 3));
  return [UNITS[steps] ?? "", steps * 3];
}

export class Display {
  readonly choice: DisplayChoice;
  readonly #zones = new Map<number, Zone>();
  #format: Intl.DateTimeFormat | undefined;
  readonly #namesZones: boolean;

  /**
   * @param choice with a valid time zone
   * @param namesZones false leaves out zone names, since loading the calendars takes a process ten milliseconds
   */
  constructor(choice: DisplayChoice = DEFAULT_DISPLAY, namesZones = true) {
    this.choice = choice;
    this.#namesZones = namesZones;
  }

  /** Groups the digits of decimal text such as `-12345.678`; other text is unchanged. */
  number(text: string): string {
    if (this.choice.numbers === "plain") return text;
    const start = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
    const point = text.indexOf(".");
    const end = point < 0 ? text.length : point;
    if (end - start <= GROUP || !hasDigitsOnly(text, start, end)) return text;
    let at = start + ((end - start) % GROUP || GROUP);
    let grouped = text.slice(0, at);
    for (; at < end; at += GROUP) grouped += `,${text.slice(at, at + GROUP)}`;
    return grouped + text.slice(end);
  }

  /** A derived amount, rounded half away from zero, with its sign; text that is not a decimal is unchanged. */
  money(text: string): string {
    if (text.startsWith("+")) return `+${this.money(text.slice(1))}`;
    const value = parseDecimal(text);
    if (value === undefined) return text;
    const { mantissa, places } = absoluteDecimal(value);
    const whole = mantissa / 10n ** BigInt(places);
    const leading = whole > 0n ? 0 : places - `${mantissa}`.length;
    const decimals = Math.max(
      MONEY_DECIMALS,
      whole > 0n || mantissa === 0n ? 0 : Math.min(MAX_PLACES, leading + SIGNIFICANT),
    );
    if (places <= decimals) return this.number(text);
    const rounded = divideInteger(value.mantissa, 10n ** BigInt(places), decimals);
    return this.number(rounded === undefined ? text : formatDecimal(rounded));
  }

  /**
   * An approximate figure, where the exact one is shown elsewhere: `34.9M`, `229.8`, `5.04`, `0.000123`; text that is not a
   * decimal is unchanged.
   */
  compact(text: string): string {
    const value = parseDecimal(text);
    if (value === undefined) return text;
    const { mantissa, places } = absoluteDecimal(value);
    const one = 10n ** BigInt(places);
    const whole = mantissa / one;
    const exact = `${whole}`.length;
    // Rounding may add one: 999,950 is 1.00M.
    const half = exact > SIGNIFICANT ? 5n * 10n ** BigInt(exact - SIGNIFICANT - 1) : 0n;
    const digits = `${whole + half}`.length;
    const [unit, zeros] = mantissa < 10_000n * one ? ["", 0] : getUnit(digits);
    const shown = digits - zeros;
    const rounded = (decimals: number) => {
      const figure = divideInteger(value.mantissa, one * 10n ** BigInt(zeros), decimals);
      return `${this.number(formatDecimal(figure ?? value))}${unit}`;
    };
    if (unit !== "") return rounded(Math.max(0, SIGNIFICANT - shown));
    if (mantissa < one) return this.money(text);
    const decimals = Math.max(0, SIGNIFICANT + (digits > 1 ? 1 : 0) - digits);
    return places <= decimals ? this.number(text) : rounded(decimals);
  }

  /** `14:05:09`, with milliseconds `14:05:09.120`. */
  timeOfDay(ms: number, withMs = false): string {
    return formatTimeOfDay(this.local(ms), withMs);
  }

  /** `2026-11-21 14:05:09`. */
  dateTime(ms: number): string {
    return formatIsoMs(this.local(ms)).replace("T", " ").replace(/\..*$/, "");
  }

  /**
   * Parses a moment as `parseInstant` does, in the user's zone unless the text names one.
   * @returns Unix milliseconds, or undefined if the text is not a moment
   */
  parseInstant(text: string): number | undefined {
    const ms = parseInstant(text);
    if (ms === undefined || /^-?[0-9]+$|Z$|[+-][0-9]{2}:[0-9]{2}$/.test(text)) return ms;
    return ms - this.#zoneAt(ms - this.#zoneAt(ms).offsetMs).offsetMs;
  }

  /** Unix milliseconds whose UTC text reads like the local time of this moment. */
  local(ms: number): number {
    return ms + this.#zoneAt(ms).offsetMs;
  }

  /** Name of the zone at that moment: `UTC`, `GMT+2`, `EST`; empty if zones are not named. */
  zoneName(ms: number): string {
    if (!this.#namesZones) return "";
    const zone = this.#zoneAt(ms);
    zone.name ??= this.#readZone(ms).name ?? "";
    return zone.name;
  }

  #zoneAt(ms: number): Zone {
    const { timeZone } = this.choice;
    if (timeZone === "UTC" || !(Math.abs(ms) <= LAST_DATE_MS)) return UTC;
    const step = Math.floor(ms / OFFSET_STEP_MS);
    const known = this.#zones.get(step);
    if (known !== undefined) return known;
    if (this.#zones.size >= MAX_ZONES) this.#zones.clear();
    const atMs = step * OFFSET_STEP_MS;
    const zone = timeZone === "local" ? getLocalZone(atMs) : this.#readZone(atMs);
    this.#zones.set(step, zone);
    return zone;
  }

  #readZone(ms: number): Zone {
    this.#format ??= zoneFormat(this.choice.timeZone);
    return readZone(this.#format, ms);
  }
}

function hasDigitsOnly(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x30 || unit > 0x39) return false;
  }
  return true;
}

/** Numbers unchanged, times in UTC. */
export const EXACT = new Display({ ...DEFAULT_DISPLAY, numbers: "plain" });

interface Zone {
  readonly offsetMs: number;
  name?: string | undefined;
}

const UTC: Zone = { offsetMs: 0, name: "UTC" };

function zoneFormat(timeZone: string): Intl.DateTimeFormat {
  const numeric = "numeric" as const;
  return new Intl.DateTimeFormat("en-US", {
    ...(timeZone === "local" ? {} : { timeZone }),
    timeZoneName: "short",
    era: "short",
    hourCycle: "h23",
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
}

function getLocalZone(ms: number): Zone {
  return { offsetMs: -new Date(ms).getTimezoneOffset() * MINUTE_MS };
}

function readZone(format: Intl.DateTimeFormat, ms: number): Zone {
  const parts = Object.fromEntries(
    format.formatToParts(ms).map(({ type, value }) => [type, value]),
  );
  const read = (name: string) => Number(parts[name]);
  const year = parts.era === "BC" ? 1 - read("year") : read("year");
  const date = new Date(0);
  date.setUTCFullYear(year, read("month") - 1, read("day"));
  date.setUTCHours(read("hour"), read("minute"), read("second"));
  return { offsetMs: date.getTime() - ms, name: parts.timeZoneName ?? "" };
}
