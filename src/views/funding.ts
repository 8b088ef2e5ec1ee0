// Funding of a market: what do I pay or get, and when.

import { read } from "../dialect/fields.ts";
import { selectPayments } from "../rows/account.ts";
import { formatDayTime } from "../rows/format.ts";
import { fundingRates, marketLabel, parseMarketName, selectFunding } from "../rows/market.ts";
import type { Moment } from "../rows/moment.ts";
import { allFields, parseNumber, parseTimeMs } from "../rows/read.ts";
import type { Pane, View } from "../screen/pane.ts";
import { tablePane } from "../screen/table/pane.ts";
import type { Table } from "../screen/table/table.ts";
import type { Ui } from "../screen/ui.ts";
import { select } from "../state/store.ts";
import { eighthsOf } from "../terminal/bars.ts";
import { type Decimal, formatDecimal } from "../units/decimal.ts";
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
  const intervalMs = selectFunding(store, ui.market)?.intervalMs ?? 3_600_000;
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
      const rates = rate && fundingRates(rate, intervalMs);
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
    number("rate", ({ rate }) => rate),
    percent("per hour", ({ perHour }) => perHour, { tone: ({ perHour }) => toneOf(perHour) }),
    percent("APR", ({ apr }) => apr, { tone: () => "dim" }),
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
      surface.text(1, 0, "no funding rate yet", tones.dim);
      return;
    }
    const height = surface.height - 1;
    const pitch = Math.max(1, Math.min(4, Math.floor(surface.width / rows.length)));
    const shown = rows.slice(0, Math.floor(surface.width / pitch));
    const values = shown.map(({ perHour }) =>
      perHour === undefined ? 0 : Number(formatDecimal(perHour)),
    );
    const most = Math.max(...values.map(Math.abs)) || 1;
    const middle = values.some((value) => value < 0) ? Math.floor(height / 2) : height - 1;
    for (const [i, value] of values.entries()) {
      const x = surface.width - (i + 1) * pitch;
      const cells = Math.max(
        1,
        Math.round(eighthsOf(Math.abs(value), most, value < 0 ? height - middle - 1 : middle) / 8),
      );
      const width = Math.max(1, pitch - 1);
      if (value < 0) surface.fill(x, middle + 1, width, cells, tones.loss, 0x2588);
      else surface.fill(x, middle - cells + 1, width, cells, tones.gain, 0x2588);
    }
    const label = (at: FundingRow | undefined) =>
      formatDayTime(at?.timeMs ?? 0, ui.display).slice(5, 16);
    const oldest = label(shown.at(-1));
    surface.text(surface.width - shown.length * pitch, height, oldest, tones.dim);
    if (shown.length * pitch > 26)
      surface.textRight(surface.width, height, label(shown[0]), tones.dim);
  },
};

const PANE = tablePane(RATES);

export const FUNDING: View = {
  name: "funding",
  title: "Funding",
  key: "F",
  when: ({ market }) => market.startsWith("perp/") || "a spot market has no funding",
  layout: () => ({
    row: [
      { pane: CHART, grow: 3, min: [30, 5], goes: 1 },
      { pane: PANE, grow: 2, min: [36, 4] },
    ],
  }),
};
