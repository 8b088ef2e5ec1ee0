// The funding rates of a perpetual market:
//
//   header: newest rate, annualised rate, carry of the watched position
//   ╭ chart ─────────╮
//   ├ rates ─────────┤
//   ╰────────────────╯

import { useCallback, useMemo } from "react";
import type { Display } from "../../select/display.ts";
import { MISSING, readNumber, withSign } from "../../select/fields.ts";
import {
  type Carry,
  type Funding,
  type FundingPoint,
  formatFundingRate,
  selectCarry,
  selectFunding,
  selectFundingChart,
  showFundingRate,
} from "../../select/funding.ts";
import {
  findMarketRecord,
  findOwnRecord,
  findSymbol,
  formatMarket,
  listedIn,
  type Market,
  selectStat,
} from "../../select/market.ts";
import { type PaneStatus, selectPaneStatus, WAITING } from "../../select/status.ts";
import type { Meaning } from "../../state/aliases.ts";
import { drawCandle } from "../../terminal/cells/bars.ts";
import type { Surface } from "../../terminal/cells/surface.ts";
import { visible } from "../../terminal/visible.ts";
import { Memo } from "../../units/memo.ts";
import { formatAge } from "../../units/time.ts";
import { formatChannel } from "../../wire/channels.ts";
import type { OpenRecord } from "../../wire/update.ts";
import { FramedCanvas, type FramedPane, type Inner, Line } from "../panes/frame.tsx";
import { badges, ofState, type Piece, paintPieces, piece, signStyle } from "../panes/pieces.ts";
import { Freezable } from "../shown.ts";
import { TableModel, TablePane } from "../table/pane.ts";
import type { StyleName, Theme } from "../theme/theme.ts";
import type { FeedStatus, Parts, View, ViewProps } from "./view.ts";

const MIN_HEIGHT_WITH_CHART = 16;
const HEADER_ROWS = 1;

function FundingView({ parts, model, theme, width, height }: ViewProps<FundingModel>) {
  const chart = useMemo(() => chartPane(model), [model]);
  const channels = useCallback(() => model.channels, [model]);
  const drawHeader = useCallback(
    (surface: Surface) =>
      paintPieces(surface, 0, [...pieces(model), ...badges(model.parts)], theme),
    [model, theme],
  );
  const headerRows = height > HEADER_ROWS + 1 ? HEADER_ROWS : 0;
  const room = height - headerRows;
  const chartHeight = room >= MIN_HEIGHT_WITH_CHART ? Math.floor(room / 2) : 0;
  const common = { parts, theme, width };
  return (
    <>
      <Line parts={parts} width={width} channels={channels} rows={headerRows} paint={drawHeader} />
      {chartHeight > 0 && <FramedCanvas {...common} pane={chart} height={chartHeight} />}
      <FramedCanvas {...common} pane={model.pane} height={room - chartHeight} />
    </>
  );
}

function chartPane(model: FundingModel): FramedPane {
  const points = () => model.data?.funding.points;
  return {
    channels: () => model.channels,
    title: () => [`Funding rates ${points()?.length ?? ""}`.trimEnd()],
    status: () => model.status,
    isFocused: () => false,
    paint: (surface, inner, theme) =>
      paintFundingChart(surface, inner, points() ?? [], theme, model.parts.shown.display),
  };
}

export const fundingView: View<FundingModel> = {
  name: "funding",
  title: "Funding",
  action: "showFunding",
  isAvailable: ({ shown: { market } }) => market?.type === "perp",
  missing: "perpetual markets only",
  createModel: (parts) => new FundingModel(parts),
  Component: FundingView,
};

const LEADING: readonly Meaning[] = ["fundingTime", "time", "fundingRate", "status", "markPrice"];

interface FundingData {
  readonly market: Market;
  readonly funding: Funding;
  /** Newest first; undefined while none have been received. */
  readonly rows: readonly OpenRecord[] | undefined;
  /** Of the watched account; undefined without a position, or if the service does not send enough. */
  readonly carry: Carry | undefined;
}

export class FundingModel extends TableModel {
  readonly parts: Parts;
  readonly pane: TablePane;
  readonly shows = new Freezable(() => ({ data: this.#select(), status: this.#selectStatus() }));
  readonly #funding = new Memo<Funding>();
  readonly #newestFirst = new Memo<readonly OpenRecord[]>();

  constructor(parts: Parts) {
    super();
    const { shown, scales } = parts;
    const { aliases } = shown.store;
    this.parts = parts;
    this.pane = new TablePane(parts, {
      fields: { scales, show: showFundingRate },
      title: "Rates",
      channels: () => this.channels,
      status: () => this.status,
      records: () => this.data?.rows,
      keyOf: (rate) => aliases.text(rate, "fundingTime") ?? aliases.text(rate, "time"),
      leading: LEADING,
      emptyText: "the service lists no rate",
    });
  }

  get channels(): readonly string[] {
    const { market, ownChannels } = this.parts.shown;
    const channel = this.#channel;
    if (market === undefined || channel === undefined) return [];
    return [channel, statsChannel(market), "markets", ...ownChannels];
  }

  get feeds(): readonly FeedStatus[] {
    return [{ label: "funding", status: this.status }];
  }

  /** Undefined without a perpetual market. */
  get data(): FundingData | undefined {
    return this.shows.data.data;
  }

  get status(): PaneStatus {
    return this.shows.data.status;
  }

  #selectStatus(): PaneStatus {
    const { store, now } = this.parts.shown;
    const channel = this.#channel;
    if (channel === undefined) return WAITING;
    return selectPaneStatus(store, store.slice("funding-rates", channel), now());
  }

  get #channel(): string | undefined {
    const { market } = this.parts.shown;
    if (market?.type !== "perp") return undefined;
    return formatChannel({ kind: "funding-rates", marketId: market.id });
  }

  #select(): FundingData | undefined {
    const { market, store } = this.parts.shown;
    const channel = this.#channel;
    if (market === undefined || channel === undefined) return undefined;
    const { data, feed } = store.slice("funding-rates", channel);
    const { listed } = listedIn(store);
    const funding = this.#funding.get([data.rates, listed], () =>
      selectFunding(store.aliases, data, market, listed),
    );
    const newestFirst = () => [...data.rates].reverse();
    const rows = feed.frames === 0 ? undefined : this.#newestFirst.get([data.rates], newestFirst);
    return { market, funding, rows, carry: this.#carry(market, funding) };
  }

  #carry(market: Market, { newest }: Funding): Carry | undefined {
    const { shown, scales } = this.parts;
    const { store, isMasked, ownChannels } = shown;
    const [channel] = ownChannels;
    if (newest === undefined || channel === undefined || isMasked) return undefined;
    const { positions } = store.slice("account", channel).data.lists;
    const { records } = store.slice("market-stats", statsChannel(market)).data;
    const stats = findOwnRecord(records, market, listedIn(store));
    return selectCarry({
      positions: positions.rows,
      inQuestion: positions.inQuestion,
      market,
      rate: newest.rate,
      mark: stats && readNumber(store.aliases.value(stats, "markPrice")),
      scale: scales.of(formatMarket(market)).scale,
      aliases: store.aliases,
    });
  }
}

function statsChannel({ type, id }: Market): string {
  return formatChannel({ kind: "market-stats", marketType: type, marketId: id });
}

const AXIS_GAP = 1;
const LINE = 0x2500;
/** Below this width bars are adjacent, above it one column apart. */
const ROOMY = 60;
const SIGN_STYLES: Readonly<Record<"positive" | "negative" | "none", StyleName>> = {
  positive: "up",
  negative: "down",
  none: "flat",
};

/** Bars above the line: longs pay; below it: shorts pay. @param points oldest first */
function paintFundingChart(
  surface: Surface,
  inner: Inner,
  points: readonly FundingPoint[],
  theme: Theme,
  display: Display,
): void {
  const rows = inner.height - 1;
  // The width of the labels depends on which points fit, and these on the labels: reserve the width for all points.
  const { labels: all } = selectFundingChart(points, { columns: points.length, rows, step: 1 });
  const axis = Math.max(0, ...all.map(({ text }) => text.length));
  const columns = Math.max(1, inner.width - axis - AXIS_GAP);
  const step = columns >= ROOMY && points.length * 2 <= columns ? 2 : 1;
  const { bars, labels } = selectFundingChart(points, { columns, rows, step });
  const [zero, ...others] = labels;
  if (zero === undefined) return;
  surface.fill(inner.x, inner.y + zero.at, columns, 1, theme.dim, LINE);
  for (const { at, text } of [...others, zero]) {
    surface.textRight(inner.x + inner.width, inner.y + at, text, theme.dim);
  }
  for (const { column, top, bottom, sign } of bars) {
    const [high, low] = [top + inner.y * 2, bottom + inner.y * 2];
    const shape = { high, bodyTop: high, bodyBottom: low, low };
    const style = theme[SIGN_STYLES[sign]];
    const isHollow = theme.up === theme.down && sign === "negative";
    drawCandle(surface, inner.x + column, shape, { style, isHollow, body: "line" });
  }
  const y = inner.y + inner.height - 1;
  const first = formatTime(points.at(-bars.length), display);
  const last = formatTime(points.at(-1), display);
  if (last.length <= columns) surface.textRight(inner.x + columns, y, last, theme.dim);
  const hasRoom = first.length + last.length + 2 <= columns;
  if (hasRoom && bars.length > 1) surface.text(inner.x, y, first, theme.dim);
}

function formatTime(point: FundingPoint | undefined, display: Display): string {
  return point?.timeMs === undefined ? "" : display.dateTime(point.timeMs).slice(5, 16);
}

function pieces(model: FundingModel): Piece[] {
  const { data } = model;
  if (data === undefined) return [piece("", "funding: perpetual markets only", "dim", 0)];
  const { market, funding, carry } = data;
  const { newest, intervalMs, annualPercent } = funding;
  const { shown } = model.parts;
  const { store, display } = shown;
  const symbol = visible(findSymbol(store, market) ?? formatMarket(market));
  const name = piece("", `Funding ${symbol}`, "title", 1);
  if (newest === undefined) return [name, piece("rate", MISSING, "dim", 0)];
  const { state } = model.status;
  const rate = formatFundingRate(newest.rate);
  const style = signStyle(rate);
  const status = store.aliases.text(newest.record, "status");
  const figures = [
    piece("rate", status === undefined ? rate : `${rate} ${visible(status)}`, style, 0),
    intervalMs === undefined
      ? piece("", "schedule unknown", "notice", 2)
      : piece("every", formatInterval(intervalMs), "text", 4),
    ...(annualPercent === undefined
      ? []
      : [piece("APR", `${display.number(withSign(annualPercent))}%`, style, 3)]),
    ...(carry === undefined ? [] : [carryPiece(carry, model)]),
  ];
  return [name, ...ofState(state, figures)];
}

function carryPiece({ side, amount }: Carry, { parts, data }: FundingModel): Piece {
  const { store, display } = parts.shown;
  const { records } = store.slice("markets", "markets").data;
  const record = data && findMarketRecord(records, data.market, store.aliases);
  const unit = selectStat(record, "quoteAsset", store.aliases);
  const isPaid = amount.startsWith("-");
  const verb = isPaid || /^[0.]*$/.test(amount) ? "pay" : "receive";
  const sum = `${display.money(amount.replace("-", ""))}${unit === undefined ? "" : ` ${visible(unit)}`}`;
  return piece(`you ${verb}`, `${sum} next (${side})`, signStyle(amount), 2);
}

/** `1m`, `8h`: omits units that are zero. */
function formatInterval(ms: number): string {
  return formatAge(ms).replace(/(?<=[mhd])00[smh]$/, "");
}
