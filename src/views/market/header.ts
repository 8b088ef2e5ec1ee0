// The lines above the market's panes: what it costs, what funding and the day were, and the own position.

import {
  dayTitle,
  type Position,
  selectDay,
  selectOrders,
  selectPositions,
  selectSummary,
  textOfDecimal,
} from "../../rows/account.ts";
import { selectTradeRate } from "../../rows/flow.ts";
import {
  type Display,
  formatCountdown,
  formatMoney,
  formatNumber,
  formatShort,
  formatSigned,
} from "../../rows/format.ts";
import { knownFlow } from "../../rows/known-flow.ts";
import {
  atTick,
  changePercent,
  type FundingFacts,
  fundingChannels,
  fundingRates,
  lastPrice,
  marketLabel,
  readStat,
  selectFunding,
} from "../../rows/market.ts";
import { drawFacts, drawHead, type Fact } from "../../screen/frame.ts";
import type { Pane } from "../../screen/pane.ts";
import { formatState, isCurrent, themeOf } from "../../screen/states.ts";
import { MASK, MISSING } from "../../screen/table/table.ts";
import type { Ui } from "../../screen/ui.ts";
import { type Moment, serviceMs } from "../../state/moment.ts";
import { type Store, select } from "../../state/store.ts";
import type { Surface } from "../../terminal/surface.ts";
import {
  type Decimal,
  divideHalfEven,
  formatDecimal,
  parseNumber,
  subtractDecimal,
} from "../../units/decimal.ts";
import { HOUR_MS, MINUTE_MS } from "../../units/time.ts";
import { distanceText, gainFact, isNear, marginText, shortAccount } from "../cells.ts";
import { figuresOf, spreadText } from "./figures.ts";

export const HEADER_PANE: Pane = {
  name: "header",
  channels: ({ market, moment: { store } }) => [
    ...[`market-stats/${market}`, `bbo/${market}`, "markets"],
    ...fundingChannels(store, market),
  ],
  draw(surface, moment, ui) {
    const channel = `bbo/${ui.market}`;
    drawHead(surface, formatState(moment, channel), priceFacts(moment, ui), ui);
    drawFacts(surface, 1, 1, themeOf(moment, channel, ui), dayFacts(moment, ui), 3);
    if (ui.account !== undefined && surface.height > 2)
      drawPosition(surface, moment, ui, ui.account);
  },
};

/** The last to go stands first. */
function priceFacts({ store }: Moment, { market, display }: Ui): readonly Fact[] {
  const last = lastPrice(store, market);
  const change = textOfDecimal(changePercent(store, market));
  const tone = change === undefined ? "plain" : change.startsWith("-") ? "loss" : "gain";
  const sign = tone === "loss" ? "▼" : "▲";
  const figures = figuresOf(store, market, display);
  const bbo = select(store, "bbo", `bbo/${market}`);
  const [bid, ask] = [bbo?.bid?.price_ticks, bbo?.ask?.price_ticks];
  const best = (ticks: string | undefined) =>
    ticks === undefined ? MISSING : figures.price(ticks);
  const spread = spreadText(bid, ask, figures) ?? "";
  const mark = readStat(store, market, "mark");
  return [
    { text: marketLabel(store, market), tone: "bright", goes: 1 },
    { text: last === undefined ? "" : `${sign} ${formatNumber(last, display)}`, tone, goes: 0 },
    { text: change === undefined ? "" : `${formatSigned(change, display)}%`, tone },
    { text: bbo === undefined ? "" : `${best(bid)} │ ${best(ask)}` },
    { text: bbo === undefined || figures.scale ? "" : "ticks", tone: "notice" },
    { text: spread, tone: spread === "crossed" ? "bad" : "dim" },
    { word: "mark", text: formatNumber(mark ?? "", display) },
    { word: "index", text: indexText(readStat(store, market, "index"), mark, display) },
  ];
}

/** With how far the mark is from it. */
function indexText(index = "", mark = "", display: Display): string {
  const [a, b] = [parseNumber(mark), parseNumber(index)];
  if (a === undefined || b === undefined || b.mantissa <= 0n) return formatNumber(index, display);
  const difference = subtractDecimal(a, b);
  const whole = b.mantissa * 10n ** BigInt(difference.places - b.places);
  const premium = formatDecimal(divideHalfEven(difference.mantissa * 10_000n, whole, 1));
  return `${formatNumber(index, display)} ${formatSigned(premium, display)}bp`;
}

function dayFacts(moment: Moment, { market, display }: Ui): readonly Fact[] {
  const { store } = moment;
  const stat = (name: Parameters<typeof readStat>[2]) => readStat(store, market, name) ?? "";
  const label = marketLabel(store, market);
  // A market without a symbol names no coin.
  const unit = label === market ? "" : ` ${label.split(/[-/]/)[0]}`;
  const short = (text: string, unit = "") => (text === "" ? "" : formatShort(text) + unit);
  const volume = short(stat("volume_quote_24h")) || short(stat("volume_base_24h"), unit);
  const nowMs = serviceMs(moment);
  return [
    fundingFact(selectFunding(store, market), nowMs),
    { word: "low", text: formatNumber(stat("low_24h"), display) },
    { word: "high", text: formatNumber(stat("high_24h"), display) },
    { word: "24h vol", text: volume },
    { word: "OI", text: short(stat("open_interest"), unit) },
    rateFact(store, market, nowMs),
  ];
}

/** Trades a second, with a sign where it is far from the last quarter of an hour's. */
function rateFact(store: Store, market: string, serviceMs: number): Fact {
  const rate = selectTradeRate(knownFlow(store, market), serviceMs);
  if (rate === undefined) return { text: "" };
  const { perSecond, average } = rate;
  const isUsual = average === undefined || average === 0 || perSecond < average * 2;
  const more = isUsual ? "" : ` ×${(perSecond / average).toFixed(0)}`;
  return { text: `${perSecond.toFixed(1)} trades/s${more}`, tone: isUsual ? "dim" : "notice" };
}

function fundingFact(funding: FundingFacts | undefined, serviceMs: number): Fact {
  const rate = funding && parseNumber(funding.rate);
  if (funding === undefined || rate === undefined) return { text: "" };
  const leftMs = (funding.nextMs ?? Number.NEGATIVE_INFINITY) - serviceMs;
  // A time that is over tells nothing of the next one.
  const left = leftMs < -MINUTE_MS ? "" : ` in ${formatCountdown(leftMs)}`;
  return {
    word: "funding",
    text: `${ratesText(rate, funding.intervalMs)}${left}`,
    tone: rate.mantissa < 0n ? "gain" : "plain",
  };
}

/** An hour's and a year's; the rate itself where nothing tells its interval. */
function ratesText(rate: Decimal, intervalMs: number | undefined): string {
  const rates = fundingRates(rate, intervalMs);
  const percent = (value: Decimal) => `${formatDecimal(value).replace("-", "−")}%`;
  const sign = rate.mantissa < 0n ? "" : "+";
  if (rates === undefined || intervalMs === undefined)
    return `${sign}${percent({ mantissa: rate.mantissa * 100n, places: rate.places })}`;
  const every = intervalMs === HOUR_MS ? "" : ` by ${formatInterval(intervalMs)}`;
  return `${sign}${percent(rates.perHour)}/h${every} ${percent(rates.apr)}APR`;
}

/** `8h`, `1m`, `30s`. */
function formatInterval(ms: number): string {
  if (ms % HOUR_MS === 0) return `${ms / HOUR_MS}h`;
  return ms < MINUTE_MS ? `${Math.round(ms / 1000)}s` : `${Math.round(ms / MINUTE_MS)}m`;
}

/** Narrower, the entry is left out: side, size and unrealised profit are the last to go. */
const MIN_WITH_ENTRY = 50;

/** The strip has a state of its own: the market may be live while the account is not. */
function drawPosition(surface: Surface, moment: Moment, ui: Ui, account: string): void {
  const channel = `account/${account}`;
  const { state, text, tone } = formatState(moment, channel);
  const facts = positionFacts(moment, ui, account, surface.width < MIN_WITH_ENTRY);
  const isShown = isCurrent(state) && facts.length > 0;
  const said = { text: isShown ? "" : `account ${text}`, tone, goes: 0 };
  drawFacts(surface, 1, 2, themeOf(moment, channel, ui), [said, ...facts]);
}

/** None while nothing is known of the account. */
function positionFacts(
  moment: Moment,
  ui: Ui,
  account: string,
  isShort: boolean,
): readonly (Fact | undefined)[] {
  const { store } = moment;
  const { isMasked, market } = ui;
  const isHere = (each: { readonly market: string | undefined }) => each.market === market;
  const held = selectPositions(store, account)?.filter(isHere);
  if (held === undefined) return [];
  const orders = (selectOrders(store, account) ?? []).filter(isHere).length;
  const ordersFact = { text: `${orders} order${orders === 1 ? "" : "s"}`, tone: "dim" } as const;
  // What is bought on a spot market is a balance.
  const none = market?.startsWith("spot/") ? "" : "flat";
  const word = held.length > 0 ? "position" : none;
  if (isMasked) return [{ text: word && `${word} ${MASK}` }, ordersFact];
  const day = selectDay(moment, account);
  const margin = marginText(selectSummary(store, account)) ?? "";
  return [
    { text: held.length === 0 ? none : "" },
    ...held.flatMap((position) => facts(store, position, ui, isShort)),
    { word: "margin", text: held.length === 0 ? "" : margin },
    ordersFact,
    gainFact(dayTitle(day, ui.display), day.total, ui),
    { text: shortAccount(account), tone: "dim" },
  ];
}

/** It turns red by its distance to liquidation, not by its profit. */
function facts(store: Store, position: Position, ui: Ui, isShort: boolean): readonly Fact[] {
  const { side, size, entry, distancePercent, unrealised, returnPercent } = position;
  const { display } = ui;
  const held = `${side ?? "?"} ${formatNumber(textOfDecimal(size) ?? MISSING, display)}`;
  const at = entry === undefined ? MISSING : atMarketTick(store, position, entry, display);
  const share = returnPercent && ` ${formatSigned(formatDecimal(returnPercent), display)}%`;
  const isLost = (unrealised?.mantissa ?? 0n) < 0n;
  return [
    {
      text: isShort ? held : `${held} @ ${at}`,
      tone: isNear(distancePercent) ? "bad" : side === "short" ? "loss" : "gain",
    },
    {
      word: "uPnL",
      text: unrealised === undefined ? "" : formatMoney(unrealised, display) + (share ?? ""),
      tone: isLost ? "loss" : "gain",
    },
    liquidationFact(store, position, display),
  ];
}

function liquidationFact(store: Store, position: Position, display: Display): Fact {
  const { side, liquidation, distancePercent } = position;
  const away = distancePercent === undefined ? "" : distanceText(distancePercent, display);
  const sign = away.endsWith("%") ? (side === "short" ? "+" : "−") : "";
  const at = liquidation === undefined ? "" : atMarketTick(store, position, liquidation, display);
  return {
    word: "liq",
    text: at === "" ? "" : `${at} ${sign}${away}`.trimEnd(),
    tone: isNear(distancePercent) ? "bad" : "plain",
  };
}

function atMarketTick(store: Store, { market }: Position, price: Decimal, display: Display) {
  return formatNumber(atTick(store, market, price), display);
}
