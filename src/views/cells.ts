// Columns that many tables have, so that a size, a price or a time looks the same in all of them.

import {
  type Display,
  formatDayTime,
  formatMoney,
  formatNumber,
  formatShort,
  formatSigned,
  formatTime,
} from "../rows/format.ts";
import type { Column } from "../screen/table/table.ts";
import type { Tone } from "../screen/themes.ts";
import {
  approximate,
  type Decimal,
  formatDecimal,
  roundDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import { formatIsoMs } from "../units/time.ts";

type Rest<Row> = Pick<Column<Row>, "secret" | "tone" | "isRest" | "goes">;

export function word<Row>(
  title: string,
  value: Column<Row>["value"],
  rest: Rest<Row> = {},
): Column<Row> {
  return { title, value, align: "left", ...rest };
}

/** Exact text with thousands. */
export function number<Row>(
  title: string,
  value: Column<Row>["value"],
  rest: Rest<Row> = {},
): Column<Row> {
  return { title, value, show: (exact, _row, display) => formatNumber(exact, display), ...rest };
}

export function decimal<Row>(
  title: string,
  figure: (row: Row) => Decimal | undefined,
  rest: Rest<Row> = {},
): Column<Row> {
  return number(title, (row) => textOf(figure(row)), rest);
}

/** With the decimals that the market's prices have; exact in copies. */
export function price<Row extends { readonly places: number | undefined }>(
  title: string,
  figure: (row: Row) => Decimal | undefined,
): Column<Row> {
  return {
    ...decimal(title, figure),
    show(exact, row, display) {
      const value = figure(row);
      const { places } = row;
      if (value === undefined || places === undefined) return formatNumber(exact, display);
      return formatNumber(
        formatDecimal(widenDecimal(roundDecimal(value, places), places)),
        display,
      );
    },
  };
}

/** Margin in use where nothing is left. */
export const SPENT = ">100%";

/** How far from liquidation: `far` where it is more than the price itself. */
export function distance<Row>(
  title: string,
  figure: (row: Row) => Decimal | undefined,
): Column<Row> {
  return {
    ...percent(title, figure, { tone: (row) => (isNear(figure(row)) ? "bad" : "plain") }),
    show: (_exact, row, display) => distanceText(figure(row), display),
  };
}

const FAR_PERCENT = 100;
const NEAR_PERCENT = 10;

export function distanceText(percent: Decimal | undefined, display: Display): string {
  if (percent === undefined) return "";
  const isFar = approximate(percent) >= FAR_PERCENT;
  return isFar ? "far" : `${formatNumber(formatDecimal(percent), display)}%`;
}

/** Near its liquidation, a position is red. */
export function isNear(distancePercent: Decimal | undefined): boolean {
  return distancePercent !== undefined && approximate(distancePercent) < NEAR_PERCENT;
}

/** Money that was gained is `+` and green, what was lost `−` and red; two decimals on the screen. */
export function gain<Row>(
  title: string,
  figure: (row: Row) => Decimal | undefined,
  rest: Rest<Row> = {},
): Column<Row> {
  return {
    title,
    value: (row) => textOf(figure(row)),
    show(_exact, row, display) {
      const value = figure(row);
      return value === undefined ? "" : formatMoney(value, display);
    },
    tone: (row) => toneOf(figure(row)),
    ...rest,
  };
}

/** Money without a sign of its own. */
export function amount<Row>(
  title: string,
  figure: (row: Row) => Decimal | undefined,
  rest: Rest<Row> = {},
): Column<Row> {
  return {
    ...gain(title, figure, rest),
    show(_exact, row, display) {
      const value = figure(row);
      return value === undefined ? "" : formatMoney(value, display).replace(/^\+/, "");
    },
    tone: rest.tone ?? (() => "plain"),
  };
}

export function percent<Row>(
  title: string,
  figure: (row: Row) => Decimal | undefined,
  rest: Rest<Row> = {},
): Column<Row> {
  return {
    title,
    value: (row) => textOf(figure(row)),
    unit: "%",
    show: (exact, _row, display) => `${formatSigned(exact, display)}%`,
    ...rest,
  };
}

/** For comparing at a glance: `1.72B`. */
export function short<Row>(
  title: string,
  value: Column<Row>["value"],
  rest: Rest<Row> = {},
): Column<Row> {
  return { title, value, show: (exact) => formatShort(exact), ...rest };
}

const YEAR = "2026-";

/** In JSON and copies ISO 8601 in UTC; on the screen the year goes without saying. */
export function time<Row>(
  title: string,
  timeMs: (row: Row) => number | undefined,
  { hasDay = false, hasMs = false } = {},
): Column<Row> {
  return {
    title,
    value(row) {
      const ms = timeMs(row);
      return ms === undefined ? undefined : formatIsoMs(ms);
    },
    show(exact, row, display) {
      const ms = timeMs(row);
      if (ms === undefined) return exact;
      return hasDay
        ? formatDayTime(ms, display, hasMs).slice(YEAR.length)
        : formatTime(ms, display, hasMs);
    },
    tone: () => "dim",
    align: "left",
  };
}

export function side<Row>(
  title: string,
  of: (row: Row) => "buy" | "sell" | "long" | "short" | undefined,
): Column<Row> {
  return word(title, of, {
    tone: (row) => {
      const value = of(row);
      return value === "buy" || value === "long" ? "gain" : value === undefined ? "dim" : "loss";
    },
  });
}

export function toneOf(value: Decimal | undefined): Tone {
  if (value === undefined || value.mantissa === 0n) return "plain";
  return value.mantissa < 0n ? "loss" : "gain";
}

const textOf = (value: Decimal | undefined) => value && formatDecimal(value);
