// Months as grids of days with the result of each: laid out for the available room, then painted.
import { fitTexts } from "../../../select/columns.ts";
import type { Display } from "../../../select/display.ts";
import { withSign } from "../../../select/fields.ts";
import { MASK } from "../../../select/mask.ts";
import { type StatementDay, ZERO } from "../../../statement/fold.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { cutText, textWidth } from "../../../terminal/cells/text-cells.ts";
import {
  addDecimal,
  type Decimal,
  divideInteger,
  formatDecimal,
  subtractDecimal,
} from "../../../units/decimal.ts";
import { DAY_MS } from "../../../units/time.ts";
import type { Inner } from "../../panes/frame.tsx";
import { signStyle } from "../../panes/pieces.ts";
import type { Theme } from "../../theme/theme.ts";

export interface CalendarDay {
  readonly day: string;
  readonly fills: number;
  readonly volume: Decimal;
  readonly realised: Decimal;
  readonly fees: Decimal;
  /** Realised minus fees. */
  readonly net: Decimal;
}

export interface Calendar {
  /** By day, such as `2026-11-22`. */
  readonly days: ReadonlyMap<string, CalendarDay>;
  /** Such as `2026-11`: all from the month of the first fill to that of the last. */
  readonly months: readonly string[];
}

/** More would mean that the service's times have another unit. */
const MAX_MONTHS = 1200;

export function selectCalendar(rows: readonly StatementDay[]): Calendar {
  const days = new Map<string, CalendarDay>();
  for (const row of rows) {
    const before = days.get(row.day) ?? { ...NOTHING, day: row.day };
    days.set(row.day, addDay(before, row));
  }
  const [first, last] = [rows[0]?.day, rows.at(-1)?.day];
  return { days, months: first && last ? monthsBetween(first, last) : [] };
}

const NOTHING = { fills: 0, volume: ZERO, realised: ZERO, fees: ZERO, net: ZERO };

function addDay(before: CalendarDay, row: StatementDay): CalendarDay {
  const { fills, volumeQuote, realisedQuote, feesQuote } = row;
  return {
    day: row.day,
    fills: before.fills + fills,
    volume: addDecimal(before.volume, volumeQuote),
    realised: addDecimal(before.realised, realisedQuote),
    fees: addDecimal(before.fees, feesQuote),
    net: addDecimal(before.net, subtractDecimal(realisedQuote, feesQuote)),
  };
}

function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  const end = last.slice(0, 7);
  for (let month = first.slice(0, 7); month <= end && months.length < MAX_MONTHS; ) {
    months.push(month);
    month = new Date(Date.parse(`${month}-28`) + 7 * DAY_MS).toISOString().slice(0, 7);
  }
  return months;
}

export function dayAfter({ months }: Calendar, day: string, days: number): string {
  const [first = "", last = ""] = [months[0], months.at(-1)];
  const later = new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
  if (later < `${first}-01`) return `${first}-01`;
  return later > `${last}-31` ? `${last}-${lengthOf(last)}` : later;
}

function lengthOf(month: string): number {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0, 0)).getUTCDate();
}

const DAY_CELLS = { least: 4, roomy: 9, most: 11 };
const DAYS = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];
/** Marks the chosen day in addition to its style: `▸`. */
const CHOSEN = 0x25b8;
const WEEK = 7;
const MAX_WEEKS = 6;
const GAP = 3;
const HEAD_ROWS = 2;
const FOOT_ROWS = 1;

type Layout = ReturnType<typeof layOutCalendar>;

export function layOutCalendar({ width, height }: Inner) {
  const room = height - FOOT_ROWS;
  const roomy = WEEK * DAY_CELLS.roomy;
  const columns = Math.max(1, Math.floor((width + GAP) / (roomy + GAP)));
  const own = Math.floor(((width + GAP) / columns - GAP) / WEEK);
  const cellWidth = Math.max(DAY_CELLS.least, Math.min(DAY_CELLS.most, own));
  const cellRows = room >= HEAD_ROWS + MAX_WEEKS * 2 ? 2 : 1;
  const monthHeight = HEAD_ROWS + MAX_WEEKS * cellRows + 1;
  const rows = Math.max(1, Math.floor((room + 1) / monthHeight));
  return { cellWidth, cellRows, columns, rows, monthHeight };
}

interface CalendarPaint {
  readonly surface: Surface;
  readonly inner: Inner;
  readonly theme: Theme;
  readonly display: Display;
  readonly isMasked: boolean;
  readonly calendar: Calendar;
  readonly day: string;
}

export function paintCalendar(paint: CalendarPaint): void {
  const { inner, calendar, day } = paint;
  const layout = layOutCalendar(inner);
  const { columns, rows, cellWidth, monthHeight } = layout;
  const room = columns * rows;
  // Pages are counted back from the newest month.
  const fromEnd = calendar.months.length - 1 - calendar.months.indexOf(day.slice(0, 7));
  const end = calendar.months.length - Math.floor(fromEnd / room) * room;
  const shown = calendar.months.slice(Math.max(0, end - room), end);
  for (const [i, month] of shown.entries()) {
    const x = inner.x + (i % columns) * (cellWidth * WEEK + GAP);
    const y = inner.y + Math.floor(i / columns) * monthHeight;
    paintMonth(paint, layout, month, x, y);
  }
  paintFoot(paint);
}

function paintMonth(
  paint: CalendarPaint,
  layout: Layout,
  month: string,
  x: number,
  y: number,
): void {
  const { surface, theme, calendar, inner } = paint;
  const { cellWidth, cellRows } = layout;
  const bottom = inner.y + inner.height - FOOT_ROWS;
  const days = [...calendar.days.values()].filter(({ day }) => day.startsWith(`${month}-`));
  const net = days.reduce((sum, each) => addDecimal(sum, each.net), ZERO);
  surface.text(x, y, month, theme.strong);
  const sum = days.length === 0 ? "" : amountText(paint, net);
  surface.textRight(x + cellWidth * WEEK - 1, y, sum, theme[signStyle(sum)]);
  for (const [i, name] of DAYS.entries()) {
    surface.textRight(x + (i + 1) * cellWidth - 1, y + 1, name, theme.dim);
  }
  // Weeks start on Monday.
  const before = (new Date(`${month}-01T00:00Z`).getUTCDay() + WEEK - 1) % WEEK;
  for (let date = 1; date <= lengthOf(month); date++) {
    const place = before + date - 1;
    const top = y + HEAD_ROWS + Math.floor(place / WEEK) * cellRows;
    if (top + cellRows > bottom) return;
    const day = `${month}-${`${date}`.padStart(2, "0")}`;
    paintDay(paint, layout, day, x + (place % WEEK) * cellWidth, top);
  }
}

function paintDay(paint: CalendarPaint, layout: Layout, day: string, x: number, y: number): void {
  const { surface, theme, calendar } = paint;
  const { cellWidth, cellRows } = layout;
  const result = calendar.days.get(day);
  const isChosen = day === paint.day;
  const date = `${Number(day.slice(8))}`;
  const right = x + cellWidth - 1;
  if (isChosen) {
    surface.fill(x, y, cellWidth, cellRows, theme.selection);
    surface.put(x, y, CHOSEN, theme.selection);
  }
  const style = (own: number) => (isChosen ? theme.selection : own);
  const amount = result === undefined ? "" : fitAmount(paint, result.net, cellWidth - 1);
  if (cellRows === 1) {
    const own = result === undefined ? theme.dim : theme[signStyle(amount)];
    surface.textRight(right, y, amount || date, style(own));
    return;
  }
  surface.textRight(right, y, date, style(result === undefined ? theme.dim : theme.text));
  surface.textRight(right, y + 1, amount, style(theme[signStyle(amount)]));
}

function amountText(
  { display, isMasked }: Pick<CalendarPaint, "display" | "isMasked">,
  amount: Decimal,
): string {
  return isMasked ? MASK : withSign(display.compact(formatDecimal(amount)));
}

/** A number is never cut: without room it is rounded, and at last reduced to its sign. */
export function fitAmount(
  paint: Pick<CalendarPaint, "display" | "isMasked">,
  amount: Decimal,
  room: number,
): string {
  const text = amountText(paint, amount);
  if (textWidth(text) <= room) return text;
  const whole = divideInteger(amount.mantissa, 10n ** BigInt(amount.places), 0);
  const rounded = paint.isMasked || whole === undefined ? "" : withSign(formatDecimal(whole));
  if (whole?.mantissa !== 0n && rounded !== "" && rounded.length <= room) return rounded;
  return /^[+-]/.test(text) ? text.slice(0, 1) : cutText(text, room);
}

function paintFoot(paint: CalendarPaint): void {
  const { surface, inner, theme, display, isMasked, calendar, day } = paint;
  const result = calendar.days.get(day);
  const money = (amount: Decimal) => (isMasked ? MASK : display.money(formatDecimal(amount)));
  const words =
    result === undefined
      ? ["no fills"]
      : [
          `net ${withSign(money(result.net))}`,
          `${result.fills} ${result.fills === 1 ? "fill" : "fills"}`,
          `realised ${money(result.realised)}`,
          `fees ${money(result.fees)}`,
          `volume ${money(result.volume)}`,
        ];
  const foot = fitTexts([day, ...words], inner.width);
  surface.text(inner.x, inner.y + inner.height - 1, foot, theme.text);
}
