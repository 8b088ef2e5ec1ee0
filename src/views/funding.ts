// Funding of a market: what do I pay or get, and when.

import { read } from "../dialect/fields.ts";
import { selectPayments } from "../rows/account.ts";
import { formatDayTime, formatSigned } from "../rows/format.ts";
import { fundingIntervalMs, fundingRates, marketLabel, parseMarketName } from "../rows/market.ts";
import { allFields, parseTimeMs } from "../rows/read.ts";
import type { Pane, View } from "../screen/pane.ts";
import { tablePane } from "../screen/table/pane.ts";
import type { Table } from "../screen/table/table.ts";
import type { Ui } from "../screen/ui.ts";
import type { Moment } from "../state/moment.ts";
import { select } from "../state/store.ts";
import type { Surface } from "../terminal/surface.ts";
import { approximate, type Decimal, parseNumber } from "../units/decimal.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { gain, number, percent, time, toneOf } from "./cells.ts";
import { formatState } from "./states.ts";

interface FundingRow {
  readonly timeMs: number | undefined;
  readonly rate: string;
  readonly perHour: Decimal | undefined;
  readonly apr: Decimal | undefined;
  /** Own payment at that time. */
  readonly paid: Decimal | undefined;
  readonly record: OpenRecord;
}

const channelOf = ({ market }: Ui) => `funding-rates/${parseMarketName(market)?.id}`;
const MATCH_MS = 60_000;

/** Newest first. */
function selectRows({ store }: Moment, ui: Ui): readonly FundingRow[] | undefined {
  const rates = select(store, "funding-rates", channelOf(ui))?.rates;
  const { names } = store.dialect;
  const payments = ui.account === undefined ? [] : (selectPayments(store, ui.account) ?? []);
  return rates
    ?.map((record): FundingRow => {
      const timeMs = parseTimeMs(read(record, "time", names));
      const text = read(record, "fundingRate", names) ?? "";
      const rate = parseNumber(text);
      const paid = payments.find(
        ({ market, timeMs: at }) =>
          market === ui.market &&
          at !== undefined &&
          timeMs !== undefined &&
          Math.abs(at - timeMs) < MATCH_MS,
      );
      const rates = rate && fundingRates(rate, fundingIntervalMs(store, ui.market, record));
      return {
        timeMs,
        rate: text,
        perHour: rates?.perHour,
        apr: rates?.apr,
        paid: paid?.amount,
        record,
      };
    })
    .reverse();
}

const RATES: Table<FundingRow> = {
  name: "funding",
  title: "Funding",
  channels: (ui) => [channelOf(ui), `market-stats/${ui.market}`],
  columns: [
    time("time", ({ timeMs }) => timeMs, { hasDay: true }),
    number("rate", ({ rate }) => rate, { goes: 5 }),
    percent("per hour", ({ perHour }) => perHour, { tone: ({ perHour }) => toneOf(perHour) }),
    percent("APR", ({ apr }) => apr, { tone: "dim" }),
    gain("paid", ({ paid }) => paid, { secret: true }),
  ],
  rows: selectRows,
  id: ({ timeMs, rate }) => `${timeMs}/${rate}`,
  details: ({ record }) => allFields(record),
  about: ({ store }, ui) => [marketLabel(store, ui.market)],
  empty: "no funding rate yet",
};

/** Points as bars over the whole width, the newest at the right edge. */
const CHART: Pane = {
  name: "funding-chart",
  channels: (ui) => [channelOf(ui)],
  title: (moment, ui) => [
    `Funding of ${marketLabel(moment.store, ui.market)}`,
    formatState(moment, channelOf(ui)).text,
  ],
  draw(surface, moment, ui) {
    const rows = (selectRows(moment, ui) ?? []).filter(({ perHour }) => perHour !== undefined);
    const { tones } = ui.theme;
    if (rows.length === 0) {
      const isUnknown = (selectRows(moment, ui) ?? []).length > 0;
      const why = isUnknown ? "nothing tells for how long a rate is" : "no funding rate yet";
      surface.text(1, 0, why, tones.dim);
      return;
    }
    drawBars(surface.part(0, 0, surface.width, surface.height - 1), rows, ui);
    drawTimes(surface, rows, ui);
  },
};

const MAX_PITCH = 4;

/** Columns of a bar, with the gap behind it: all points over the whole width where they fit. */
function pitchOf({ width }: Surface, rows: readonly FundingRow[]): number {
  return Math.max(1, Math.min(MAX_PITCH, Math.floor(width / rows.length)));
}

/** What longs pay stands above the middle, what they get below it; the largest rate is written at its end. */
function drawBars(area: Surface, rows: readonly FundingRow[], { theme, display }: Ui): void {
  const { tones } = theme;
  const { width, height } = area;
  const pitch = pitchOf(area, rows);
  const shown = rows.slice(0, Math.ceil(width / pitch));
  const values = shown.map(({ perHour }) => (perHour === undefined ? 0 : approximate(perHour)));
  const most = Math.max(...values.map(Math.abs)) || 1;
  const middle = values.some((value) => value < 0) ? height >> 1 : height;
  for (const [i, value] of values.entries()) {
    const isPaid = value >= 0;
    const room = isPaid ? middle : height - middle;
    const cells = Math.max(1, Math.round((Math.abs(value) / most) * room));
    const x = width - 1 - i * pitch - Math.max(0, pitch - 2);
    const style = isPaid ? tones.gain : tones.loss;
    area.fill(x, isPaid ? middle - cells : middle, Math.max(1, pitch - 1), cells, style, 0x2588);
  }
  const label = (value: number) => `${formatSigned(value.toFixed(4), display)}%/h`;
  area.text(0, 0, label(most), tones.dim);
  if (middle < height) area.text(0, height - 1, label(-most), tones.dim);
}

/** The oldest point's time below its bar, the newest one's at the right edge. */
function drawTimes(surface: Surface, rows: readonly FundingRow[], { theme, display }: Ui): void {
  const pitch = pitchOf(surface, rows);
  const shown = rows.slice(0, Math.ceil(surface.width / pitch));
  const label = ({ timeMs }: FundingRow) =>
    timeMs === undefined ? "" : formatDayTime(timeMs, display).slice(5, 16);
  const [newest, oldest] = [shown[0], shown.at(-1)];
  const y = surface.height - 1;
  const x = Math.max(0, surface.width - shown.length * pitch);
  if (newest !== undefined) surface.textRight(surface.width, y, label(newest), theme.tones.dim);
  if (oldest !== undefined && x + 26 < surface.width)
    surface.text(x, y, label(oldest), theme.tones.dim);
}

const PANE = tablePane(RATES);

export const FUNDING: View = {
  name: "funding",
  title: "Funding",
  isOfMarket: true,
  key: "F",
  when: ({ market }) => market.startsWith("perp/") || "a spot market has no funding",
  layout: () => ({
    row: [
      { pane: CHART, grow: 3, min: [30, 5], goes: 1 },
      { pane: PANE, grow: 2, min: [36, 4] },
    ],
  }),
};
