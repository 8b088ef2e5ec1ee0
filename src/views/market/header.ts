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
  priceText,
  readStat,
  scaleOf,
  selectFunding,
} from "../../rows/market.ts";
import { drawFacts, type Fact } from "../../screen/frame.ts";
import type { Pane } from "../../screen/pane.ts";
import { MASK, MISSING } from "../../screen/table/table.ts";
import type { Tone } from "../../screen/themes.ts";
import type { Ui } from "../../screen/ui.ts";
import { channelState } from "../../state/channel-state.ts";
import { type Moment, serviceMs } from "../../state/moment.ts";
import { type Store, select } from "../../state/store.ts";
import type { Surface } from "../../terminal/surface.ts";
import { textWidth } from "../../terminal/width.ts";
import {
  type Decimal,
  divideHalfEven,
  formatDecimal,
  parseNumber,
  subtractDecimal,
} from "../../units/decimal.ts";
import type { Scale } from "../../units/scale.ts";
import { HOUR_MS, MINUTE_MS } from "../../units/time.ts";
import { distanceText, isNear, SPENT, toneOf } from "../cells.ts";
import { formatState, isCurrent } from "../states.ts";

/** Narrower, the sign of the state has to do. */
const MIN_WITH_STATE = 38;

export const HEADER_PANE: Pane = {
  name: "header",
  channels: ({ market, moment: { store } }) => [
    ...[`market-stats/${market}`, `bbo/${market}`, "markets"],
    ...fundingChannels(store, market),
  ],
  draw(surface, moment, ui) {
    const { store, nowMs } = moment;
    const state = channelState(store.channels.get(`bbo/${ui.market}`), store.link, nowMs);
    const theme = isCurrent(state) ? ui.theme : ui.theme.outdated;
    const badge = formatState(moment, `bbo/${ui.market}`);
    const isNarrow = surface.width < MIN_WITH_STATE;
    const text = isNarrow ? badge.text.slice(0, 1) : badge.text;
    surface.textRight(surface.width - 1, 0, text, ui.theme.tones[badge.tone]);
    const first = surface.part(0, 0, surface.width - textWidth(text) - (isNarrow ? 2 : 3), 1);
    drawFacts(first, 1, 0, theme, priceFacts(moment, ui));
    drawFacts(surface, 1, 1, theme, dayFacts(moment, ui), 3);
    if (ui.account !== undefined && surface.height > 2)
      drawPosition(surface, moment, ui, ui.account);
  },
};

/** The last to go stands first. */
function priceFacts(moment: Moment, ui: Ui): readonly (Fact | undefined)[] {
  const { store } = moment;
  const { market, display } = ui;
  const last = lastPrice(store, market);
  const change = textOfDecimal(changePercent(store, market));
  const tone: Tone = change === undefined ? "plain" : change.startsWith("-") ? "loss" : "gain";
  const scale = scaleOf(store, market);
  const bbo = select(store, "bbo", `bbo/${market}`);
  const [bid, ask] = [bbo?.bid?.price_ticks, bbo?.ask?.price_ticks];
  const mark = readStat(store, market, "mark");
  const index = readStat(store, market, "index");
  return [
    { text: marketLabel(store, market), tone: "bright", goes: 1 },
    last === undefined
      ? undefined
      : { goes: 0, text: `${tone === "loss" ? "▼" : "▲"} ${formatNumber(last, display)}`, tone },
    change === undefined ? undefined : { text: `${formatSigned(change, display)}%`, tone },
    ...(bbo === undefined ? [] : bestFacts(bid, ask, scale, display)),
    spreadFact(bid, ask, scale && ((ticks: string) => priceText(ticks, scale)), ui),
    mark === undefined ? undefined : { word: "mark", text: formatNumber(mark, display) },
    index === undefined ? undefined : { word: "index", text: indexText(index, mark, ui) },
  ];
}

/** Ticks say so, where nobody knows what one is worth. */
function bestFacts(
  bid: string | undefined,
  ask: string | undefined,
  scale: Scale | undefined,
  display: Display,
): readonly Fact[] {
  const side = (ticks: string | undefined) =>
    ticks === undefined ? "–" : formatNumber(scale ? priceText(ticks, scale) : ticks, display);
  const best: Fact = { text: `${side(bid)} │ ${side(ask)}` };
  return scale === undefined ? [best, { text: "ticks", tone: "notice" }] : [best];
}

function spreadFact(
  bid: string | undefined,
  ask: string | undefined,
  price: ((ticks: string) => string) | undefined,
  { display }: Ui,
): Fact | undefined {
  if (bid === undefined || ask === undefined) return undefined;
  const [low, high] = [BigInt(bid), BigInt(ask)];
  if (high < low) return { text: "crossed", tone: "bad" };
  const ticks = (high - low).toString();
  const shown = formatNumber(price === undefined ? ticks : price(ticks), display);
  return { text: `${shown} ${basisPoints(high - low, low)}bp`, tone: "dim" };
}

/** With one decimal; fewer than a tenth with two that count. */
export function basisPoints(part: bigint, whole: bigint): string {
  if (whole <= 0n) return "–";
  const tenths = formatDecimal(divideHalfEven(part * 10_000n, whole, 1));
  return tenths === "0.0" ? formatDecimal(divideHalfEven(part * 10_000n, whole, 3)) : tenths;
}

function indexText(index: string, mark: string | undefined, { display }: Ui): string {
  const [a, b] = [parseNumber(mark ?? ""), parseNumber(index)];
  if (a === undefined || b === undefined || b.mantissa <= 0n) return formatNumber(index, display);
  const difference = subtractDecimal(a, b);
  const places = Math.max(a.places, b.places);
  const whole = b.mantissa * 10n ** BigInt(places - b.places);
  const premium = formatDecimal(divideHalfEven(difference.mantissa * 10_000n, whole, 1));
  return `${formatNumber(index, display)} ${formatSigned(premium, display)}bp`;
}

function dayFacts(moment: Moment, { market, display }: Ui): readonly (Fact | undefined)[] {
  const { store } = moment;
  const stat = (name: Parameters<typeof readStat>[2]) => readStat(store, market, name);
  const exact = (word: string, text: string | undefined) =>
    text === undefined ? undefined : { word, text: formatNumber(text, display) };
  const short = (word: string, text: string | undefined, unit = "") =>
    text === undefined ? undefined : { word, text: `${formatShort(text)}${unit}` };
  const nowMs = serviceMs(moment);
  const base = marketLabel(store, market).split(/[-/]/)[0] ?? "";
  return [
    fundingFact(selectFunding(store, market), nowMs),
    exact("low", stat("low_24h")),
    exact("high", stat("high_24h")),
    short("24h vol", stat("volume_quote_24h")) ??
      short("24h vol", stat("volume_base_24h"), ` ${base}`),
    short("OI", stat("open_interest"), ` ${base}`),
    rateFact(store, market, nowMs),
  ];
}

/** Trades a second, with a sign where it is far from the last quarter of an hour's. */
function rateFact(store: Store, market: string, serviceMs: number): Fact | undefined {
  const rate = selectTradeRate(knownFlow(store, market), serviceMs);
  if (rate === undefined) return undefined;
  const { perSecond, average } = rate;
  const isUsual = average === undefined || average === 0 || perSecond < average * 2;
  const more = isUsual ? "" : ` ×${(perSecond / average).toFixed(0)}`;
  return { text: `${perSecond.toFixed(1)} trades/s${more}`, tone: isUsual ? "dim" : "notice" };
}

function fundingFact(funding: FundingFacts | undefined, serviceMs: number): Fact | undefined {
  const rate = funding && parseNumber(funding.rate);
  if (funding === undefined || rate === undefined) return undefined;
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
  const { state, text, tone } = formatState(moment, `account/${account}`);
  const isShown = isCurrent(state);
  const facts = positionFacts(moment, ui, account, surface.width < MIN_WITH_ENTRY);
  const said =
    isShown && facts !== undefined ? undefined : { text: `account ${text}`, tone, goes: 0 };
  drawFacts(surface, 1, 2, isShown ? ui.theme : ui.theme.outdated, [said, ...(facts ?? [])]);
}

/** Undefined while nothing is known of the account. */
function positionFacts(
  moment: Moment,
  ui: Ui,
  account: string,
  isShort: boolean,
): readonly (Fact | undefined)[] | undefined {
  const { store } = moment;
  const { isMasked, market } = ui;
  const held = selectPositions(store, account)?.filter((each) => each.market === market);
  if (held === undefined) return undefined;
  const orders = (selectOrders(store, account) ?? []).filter(
    (each) => each.market === market,
  ).length;
  const ordersFact = { text: `${orders} order${orders === 1 ? "" : "s"}`, tone: "dim" } as const;
  if (isMasked) return [{ text: `${held.length > 0 ? "position" : "flat"} ${MASK}` }, ordersFact];
  if (held.length === 0) return [{ text: "flat" }, ordersFact, todayFact(moment, ui, account)];
  return [
    ...held.flatMap((position) => facts(store, position, ui, isShort)),
    marginFact(moment, ui, account),
    ordersFact,
    todayFact(moment, ui, account),
  ];
}

function marginFact({ store }: Moment, { display }: Ui, account: string): Fact | undefined {
  const { isSpent, marginPercent } = selectSummary(store, account) ?? {};
  const share = marginPercent && `${formatNumber(formatDecimal(marginPercent), display)}%`;
  const text = isSpent ? SPENT : share;
  return text === undefined ? undefined : { word: "margin", text };
}

/** It turns red by its distance to liquidation, not by its profit. */
function facts(
  store: Store,
  position: Position,
  { display }: Ui,
  isShort: boolean,
): readonly (Fact | undefined)[] {
  const { side, size, entry, distancePercent, market } = position;
  const price = (value: Decimal | undefined) =>
    value === undefined ? MISSING : formatNumber(atTick(store, market, value), display);
  const number = (value: Decimal | undefined) =>
    formatNumber(textOfDecimal(value) ?? MISSING, display);
  const tone = isNear(distancePercent) ? "bad" : side === "short" ? "loss" : "gain";
  return [
    { text: `${side ?? "?"} ${number(size)}${isShort ? "" : ` @ ${price(entry)}`}`, tone },
    gainFact(position, display),
    liquidationFact(store, position, display),
  ];
}

function gainFact({ unrealised, returnPercent }: Position, display: Display): Fact | undefined {
  if (unrealised === undefined) return undefined;
  const share = returnPercent && ` ${formatSigned(formatDecimal(returnPercent), display)}%`;
  const tone = unrealised.mantissa < 0n ? "loss" : "gain";
  return { word: "uPnL", text: formatMoney(unrealised, display) + (share ?? ""), tone };
}

function liquidationFact(
  store: Store,
  { side, liquidation, distancePercent, market }: Position,
  display: Display,
): Fact | undefined {
  if (liquidation === undefined) return undefined;
  const text = formatNumber(atTick(store, market, liquidation), display);
  const distance = distanceText(distancePercent, display);
  const sign = distance.endsWith("%") ? (side === "short" ? "+" : "−") : "";
  return {
    word: "liq",
    text: `${text} ${sign}${distance}`.trimEnd(),
    tone: isNear(distancePercent) ? "bad" : "plain",
  };
}

function todayFact(moment: Moment, { display }: Ui, account: string): Fact | undefined {
  const day = selectDay(moment, account);
  const { total } = day;
  return (
    total && {
      word: dayTitle(day, display),
      text: formatMoney(total, display),
      tone: toneOf(total),
    }
  );
}
