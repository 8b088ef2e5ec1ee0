// Columns and facts that many views have, so that a size, a price, money or a time looks the same in all of them.

import { type Summary, textOfDecimal } from "../rows/account.ts";
import {
  type Display,
  formatMoney,
  formatNumber,
  formatShort,
  formatSigned,
  formatSpan,
  formatWhen,
} from "../rows/format.ts";
import { allFields } from "../rows/read.ts";
import type { Fact } from "../screen/frame.ts";
import { type Column, MASK } from "../screen/table/table.ts";
import type { Tone } from "../screen/themes.ts";
import type { Ui } from "../screen/ui.ts";
import { barText, eighthsOf } from "../terminal/bars.ts";
import {
  approximate,
  type Decimal,
  formatDecimal,
  roundDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import { formatIsoMs } from "../units/time.ts";

type Rest<Row> = Pick<Column<Row>, "secret" | "tone" | "isRest" | "goes" | "unit">;
type Figure<Row> = (row: Row) => Decimal | undefined;

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

export function decimal<Row>(title: string, of: Figure<Row>, rest: Rest<Row> = {}): Column<Row> {
  return number(title, (row) => textOfDecimal(of(row)), rest);
}

/** Exact in copies; the screen writes the figure in another form. */
function figure<Row>(
  title: string,
  of: Figure<Row>,
  show: (value: Decimal, display: Display, row: Row) => string,
  rest: Rest<Row>,
): Column<Row> {
  return {
    ...decimal(title, of, rest),
    show(exact, row, display) {
      const value = of(row);
      return value === undefined ? exact : show(value, display, row);
    },
  };
}

/** With the decimals that the market's prices have. */
export function price<Row extends { readonly places: number | undefined }>(
  title: string,
  of: Figure<Row>,
  rest: Rest<Row> = {},
): Column<Row> {
  const show = (value: Decimal, display: Display, { places = value.places }: Row) =>
    formatNumber(formatDecimal(widenDecimal(roundDecimal(value, places), places)), display);
  return figure(title, of, show, rest);
}

/** Margin in use as a share of equity. */
export function marginText(summary: Summary | undefined): string | undefined {
  if (summary?.isSpent) return ">100%";
  return summary?.marginPercent && `${approximate(summary.marginPercent).toFixed(1)}%`;
}

export function marginBar(summary: Summary | undefined, cells: number): string {
  const { isSpent, marginPercent } = summary ?? {};
  const used = isSpent ? 100 : marginPercent === undefined ? 0 : approximate(marginPercent);
  return barText(eighthsOf(used, 100, cells));
}

/** How far from liquidation: `far` where it is more than the price itself. */
export function distance<Row>(title: string, of: Figure<Row>): Column<Row> {
  const tone = (row: Row) => (isNear(of(row)) ? "bad" : "plain");
  return figure(title, of, distanceText, { unit: "%", tone });
}

const FAR_PERCENT = 100;
const NEAR_PERCENT = 10;

export function distanceText(percent: Decimal, display: Display): string {
  const isFar = approximate(percent) >= FAR_PERCENT;
  return isFar ? "far" : `${formatNumber(formatDecimal(percent), display)}%`;
}

/** Near its liquidation, a position is red. */
export function isNear(distancePercent: Decimal | undefined): boolean {
  return distancePercent !== undefined && approximate(distancePercent) < NEAR_PERCENT;
}

/** Money that was gained is `+` and green, what was lost `−` and red; two decimals on the screen. */
export function gain<Row>(title: string, of: Figure<Row>, rest: Rest<Row> = {}): Column<Row> {
  return figure(title, of, formatMoney, { tone: (row) => toneOf(of(row)), ...rest });
}

/** Money without a sign of its own. */
export function amount<Row>(title: string, of: Figure<Row>, rest: Rest<Row> = {}): Column<Row> {
  return figure(title, of, unsignedMoney, rest);
}

export function unsignedMoney(value: Decimal, display: Display): string {
  return formatMoney(value, display).replace(/^\+/, "");
}

export function percent<Row>(title: string, of: Figure<Row>, rest: Rest<Row> = {}): Column<Row> {
  return {
    ...decimal(title, of, { unit: "%", ...rest }),
    show: (exact, _row, display) => `${formatSigned(exact, display)}%`,
  };
}

/** For comparing at a glance: `1.72B`. */
export function short<Row>(title: string, value: Column<Row>["value"]): Column<Row> {
  return { title, value, show: formatShort };
}

/** In JSON and copies ISO 8601 in UTC. */
export function time<Row>(
  title: string,
  timeMs: (row: Row) => number | undefined,
  hasMs = false,
): Column<Row> {
  return {
    ...word(title, (row) => {
      const ms = timeMs(row);
      return ms === undefined ? undefined : formatIsoMs(ms);
    }),
    show(exact, row, display) {
      const ms = timeMs(row);
      return ms === undefined ? exact : formatWhen(ms, display, hasMs);
    },
    isWhole: true,
    tone: "dim",
  };
}

/** How long ago something was. */
export function age<Row>(
  title: string,
  ageMs: (row: Row) => number | undefined,
  rest: Rest<Row> = {},
): Column<Row> {
  return {
    ...number(title, (row) => ageMs(row)?.toFixed(0), rest),
    show: (exact) => formatSpan(Number(exact)),
  };
}

const SIDE_TONES = { buy: "gain", long: "gain", sell: "loss", short: "loss" } as const;

export function side<Row>(
  title: string,
  of: (row: Row) => keyof typeof SIDE_TONES | undefined,
): Column<Row> {
  return word(title, of, {
    tone(row) {
      const value = of(row);
      return value === undefined ? "dim" : SIDE_TONES[value];
    },
  });
}

export function toneOf(value: Decimal | undefined): Tone {
  if (value === undefined || value.mantissa === 0n) return "plain";
  return value.mantissa < 0n ? "loss" : "gain";
}

/** Money that the mask hides, sign and colour and all. */
export function gainFact(word: string, value: Decimal | undefined, ui: Ui): Fact | undefined {
  if (value === undefined || ui.isMasked) return value && { word, text: MASK };
  return { word, text: formatMoney(value, ui.display), tone: toneOf(value) };
}

/** An address in the middle of which is nothing to read. */
export function shortAccount(account: string): string {
  return account.replace(/^(.{4}).*(.{4}\/)/, "$1…$2");
}

/** All that a record says, for the owner's eyes. */
export function secretFields(record: Parameters<typeof allFields>[0]) {
  return allFields(record).map(([name, value]) => [name, value, true] as const);
}
