// Funding of a market: what do I pay or get, and when.

import { read } from "../dialect/fields.ts";
import { selectPayments, selectPositions } from "../rows/account.ts";
import { formatCountdown, formatDayTime, formatMoney, formatSigned } from "../rows/format.ts";
import {
  fundingIntervalMs,
  fundingRates,
  marketLabel,
  parseMarketName,
  selectFunding,
} from "../rows/market.ts";
import { allFields, parseTimeMs } from "../rows/read.ts";
import { drawFacts, type Fact } from "../screen/frame.ts";
import type { Pane, View } from "../screen/pane.ts";
import { formatState, themeOf } from "../screen/states.ts";
import { tablePane } from "../screen/table/pane.ts";
import { MASK, type Table } from "../screen/table/table.ts";
import type { Theme } from "../screen/theme.ts";
import type { Ui } from "../screen/ui.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import { select } from "../state/store.ts";
import { drawColumn, eighthsOf } from "../terminal/bars.ts";
import type { Surface } from "../terminal/surface.ts";
import {
  addDecimal,
  approximate,
  type Decimal,
  formatDecimal,
  multiplyDecimal,
  negateDecimal,
  parseNumber,
} from "../units/decimal.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { gain, number, percent, time, toneOf } from "./cells.ts";

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
  title: "Rates",
  channels: (ui) => [channelOf(ui), `market-stats/${ui.market}`],
  columns: [
    time("time", ({ timeMs }) => timeMs),
    number("rate", ({ rate }) => rate, { goes: 5 }),
    percent("per hour", ({ perHour }) => perHour, { tone: ({ perHour }) => toneOf(perHour) }),
    percent("APR", ({ apr }) => apr, { tone: "dim" }),
    gain("payment", ({ paid }) => paid, { secret: true }),
  ],
  rows: selectRows,
  id: ({ timeMs, rate }) => `${timeMs}/${rate}`,
  details: ({ record }) => allFields(record),
  state: (moment, ui) => formatState(moment, channelOf(ui)),
  about: ({ store }, ui) => [marketLabel(store, ui.market)],
  foot: (_rows, moment, ui) => nextText(moment, ui),
  empty: "no funding rate yet",
};

/** When the next payment is, and about how much of it the own positions pay or get. */
function nextText(moment: Moment, { market, account = "", isMasked, display }: Ui): string {
  const { store } = moment;
  const { rate = "", nextMs } = selectFunding(store, market) ?? {};
  const leftMs = nextMs === undefined ? -1 : nextMs - serviceMs(moment);
  if (leftMs < 0) return "";
  const share = parseNumber(rate);
  const payments = (selectPositions(store, account) ?? []).flatMap((position) => {
    const { side, value } = position;
    if (position.market !== market || share === undefined || value === undefined) return [];
    const paid = multiplyDecimal(value, share);
    return [side === "short" ? paid : negateDecimal(paid)];
  });
  const sum = payments.length > 0 && formatMoney(payments.reduce(addDecimal), display);
  return `next in ${formatCountdown(leftMs)}${sum && `  about ${isMasked ? MASK : sum}`}`;
}

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
    const theme = themeOf(moment, channelOf(ui), ui);
    if (rows.length === 0) {
      const isUnknown = (selectRows(moment, ui) ?? []).length > 0;
      const why = isUnknown ? "nothing tells for how long a rate is" : "no funding rate yet";
      surface.text(1, 0, why, theme.tones.dim);
      return;
    }
    drawBars(surface, rows, theme, ui);
    drawTimes(surface, rows, ui);
  },
};

const MAX_PITCH = 4;

/** Columns of a bar, with the gap behind it: all points over the whole width where they fit. */
function pitchOf({ width }: Surface, rows: readonly FundingRow[]): number {
  return Math.max(1, Math.min(MAX_PITCH, Math.floor(width / rows.length)));
}

/** What longs pay stands above the middle, what they get below it; the bounds are written above. */
function drawBars(
  surface: Surface,
  rows: readonly FundingRow[],
  theme: Theme,
  { display }: Ui,
): void {
  const { tones } = theme;
  const { width } = surface;
  const pitch = pitchOf(surface, rows);
  const shown = rows.slice(0, Math.ceil(width / pitch));
  // Of a year: an hour's have few digits.
  const values = shown.map(({ apr }) => (apr === undefined ? 0 : approximate(apr)));
  const area = surface.part(0, 1, width, surface.height - 2);
  const most = Math.max(...values.map(Math.abs)) || 1;
  const middle = values.some((value) => value < 0) ? area.height >> 1 : area.height;
  for (const [i, value] of values.entries()) {
    const room = value < 0 ? area.height - middle : middle;
    const eighths = eighthsOf(Math.abs(value), most, room);
    const x = width - 1 - i * pitch - Math.max(0, pitch - 2);
    for (let at = x; at < x + Math.max(1, pitch - 1); at++)
      if (value < 0) area.fill(at, middle, 1, Math.max(1, eighths >> 3), tones.loss, 0x2588);
      else drawColumn(area, at, middle - 1, eighths, tones.gain);
  }
  const bound = (word: string, value: number): Fact => {
    const { perHour } = shown[values.indexOf(value)] ?? {};
    return { word, text: perHour ? `${formatSigned(formatDecimal(perHour), display)}%/h` : "" };
  };
  const bounds = [bound("highest", Math.max(...values)), bound("lowest", Math.min(...values))];
  drawFacts(surface, 0, 0, theme, bounds);
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
