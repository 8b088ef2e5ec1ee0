// Order flow in the panes of a market: windows, how far they are covered, and sums that are cached until the flow changes.

import type { Display } from "../../../select/display.ts";
import { withSign } from "../../../select/fields.ts";
import {
  type FlowSpan,
  formatHoles,
  formatWindowCoverage,
  holeSign,
  minuteAnchor,
  NOTHING_TRADED,
  selectTradeDelta,
  selectTradedAtLevels,
  selectWindowCoverage,
  type TradedAtRow,
} from "../../../select/flow.ts";
import { getStep } from "../../../select/orderbook.ts";
import type { TradesState } from "../../../state/trades.ts";
import { areSame } from "../../../units/memo.ts";
import { formatUnits, type Scale } from "../../../units/scale.ts";
import { formatAge, MINUTE_MS, SECOND_MS } from "../../../units/time.ts";
import type { PaintContext } from "./panes.ts";

/** Window of what traded at the rows of the ladder. */
const LADDER_WINDOW_MS = 8 * MINUTE_MS;
/**
 * Shortest interval between updates while trades arrive: first for sums of the order book, second for whole days on the
 * chart.
 */
const REFRESH_MS = 250;
export const CHART_REFRESH_MS = 500;

export type FlowContext = Pick<PaintContext, "data" | "model" | "repaintAfter">;

interface Entry {
  readonly of: readonly unknown[];
  /** Changes whenever a sum may. */
  readonly version: readonly unknown[];
  readonly atMs: number;
  readonly value: unknown;
}

/** Sums of the order flow by name, and what is derived from them; updated only when trades have changed, and not too often. */
export class FlowCache {
  readonly #entries = new Map<string, Entry>();

  /** @param of what the value depends on besides trades */
  read<T>(
    name: string,
    { data: { tape }, model, repaintAfter }: FlowContext,
    of: readonly unknown[],
    make: () => T,
    refreshMs = REFRESH_MS,
  ): T {
    const { now, isFrozen } = model.parts.shown;
    const { flow, holes, releasedHoles, healed } = tape;
    const version = [flow.stepTotal, flow.sinceMs, holes, releasedHoles, healed];
    const atMs = now();
    const all = [tape, ...of];
    const known = this.#entries.get(name);
    if (known !== undefined && areSame(known.of, all)) {
      if (areSame(known.version, version)) return known.value as T;
      const leftMs = known.atMs + refreshMs - atMs;
      if (!isFrozen && leftMs > 0 && leftMs <= refreshMs) {
        repaintAfter(leftMs);
        return known.value as T;
      }
    }
    const value = make();
    this.#entries.set(name, { of: all, version, atMs, value });
    return value;
  }
}

type TradedWindow = NonNullable<ReturnType<typeof readTradedWindow>>;

/**
 * Start of the period whose trades at the ladder are counted, as text, and the sign of its sums: `≥` if trades are missing.
 * Undefined before the first trades.
 */
export function readTradedWindow(context: FlowContext) {
  const { data, model } = context;
  const { tape, serverNowMs: nowMs } = data;
  if (nowMs === undefined) return undefined;
  const { display } = model.parts.shown;
  const fromMs = minuteAnchor(nowMs - LADDER_WINDOW_MS);
  const span = { fromMs, untilMs: nowMs + 1 };
  // The coverage of a window changes with time alone, hence the second.
  const of = [fromMs, Math.floor(span.untilMs / SECOND_MS), display];
  const title = model.flowCache.read("since", context, of, () => ({
    words: formatSince(tape, { span, isSliding: true }, display),
    sign: selectSign(tape, span, false),
  }));
  return { fromMs, ...title };
}

/** `since 13:02:15, 1 hole 0.8 s` and shorter forms: the start of the sums, and what is missing since. */
export function formatSince(
  tape: TradesState,
  { span, isSliding = false }: { readonly span: FlowSpan; readonly isSliding?: boolean },
  display: Display,
): readonly string[] {
  const { sinceMs = span.untilMs } = tape.flow;
  const coverage = selectWindowCoverage(tape, span);
  const fromMs = Math.max(span.fromMs, sinceMs);
  const time = display.timeOfDay(fromMs);
  const since = `since ${fromMs % MINUTE_MS === 0 ? time.slice(0, 5) : time}`;
  const lacks = formatWindowCoverage({ ...coverage, reached: 1 });
  const holes = formatHoles(coverage.open);
  const shortest = coverage.open > 0 ? holes : `last ${formatMinutes(span.untilMs - fromMs)}`;
  return [
    ...(lacks === "" ? [] : [`${since}, ${lacks}`]),
    coverage.open === 0 ? since : `${since}, ${holes}`,
    ...(isSliding ? [shortest] : []),
  ];
}

/** `40s`, then whole minutes: `2m`. */
const formatMinutes = (ms: number): string => formatAge(ms).replace(/m.*/, "m");

/** Sign of a figure of the window, which only losses within it make uncertain: the title shows where it starts. */
export function selectSign(tape: TradesState, span: FlowSpan, isSigned: boolean): string {
  return holeSign({ ...selectWindowCoverage(tape, span), reached: 1 }, isSigned);
}

/** What traded at a row of the ladder, as figures: empty if nothing did. */
export interface TradedRow {
  readonly lots: number;
  readonly sold: string;
  readonly bought: string;
}

/** Figures of all rows are formatted a few times a second instead of in each frame. */
export function selectTradedRows(
  context: FlowContext,
  { fromMs, sign }: TradedWindow,
): (side: "bid" | "ask", priceTicks: bigint) => TradedRow {
  const { data, model } = context;
  const { grouping, scale, flowCache } = model;
  const { display } = model.parts.shown;
  const [bid, ask] = [data.depth(1).bids[0], data.depth(1).asks[0]].map(
    (level) => level && BigInt(level.price_ticks),
  );
  const of = [fromMs, grouping, sign, scale, display];
  const { levels, rows } = flowCache.read("ladder", context, of, () => ({
    levels: selectTradedAtLevels(data.tape.flow, fromMs, grouping),
    rows: { bid: new Map<bigint, TradedRow>(), ask: new Map<bigint, TradedRow>() },
  }));
  const across = flowCache.read("across", context, [levels, bid, ask], () =>
    levels.across({ bid, ask }),
  );
  const touch = {
    bid: bid && getStep(bid, grouping, "bid"),
    ask: ask && getStep(ask, grouping, "ask"),
  };
  const format = (lots: bigint) =>
    lots <= 0n ? "" : `${sign}${display.number(formatUnits(`${lots}`, scale?.lotSize))}`;
  const formatRow = ({ boughtLots, soldLots }: TradedAtRow): TradedRow => ({
    lots: Number(boughtLots + soldLots),
    sold: format(soldLots),
    bought: format(boughtLots),
  });
  return (side, priceTicks) => {
    if (priceTicks === touch[side] && across[side] !== NOTHING_TRADED) {
      const traded = levels.at(side, priceTicks);
      return formatRow({
        boughtLots: traded.boughtLots - across[side].boughtLots,
        soldLots: traded.soldLots - across[side].soldLots,
      });
    }
    const row = rows[side].get(priceTicks) ?? formatRow(levels.at(side, priceTicks));
    rows[side].set(priceTicks, row);
    return row;
  };
}

/** `-0.5`: bought minus sold in a period, with `±` if trades of it are missing. Undefined if nothing of it is known. */
export function formatTradeDelta(
  tape: TradesState,
  span: FlowSpan,
  { scale, display }: { readonly scale: Scale | undefined; readonly display: Display },
): string | undefined {
  if (tape.flow.sinceMs === undefined || span.untilMs <= tape.flow.sinceMs) return undefined;
  const { deltaLots } = selectTradeDelta(tape.flow, span);
  const figure = withSign(display.number(formatUnits(`${deltaLots}`, scale?.lotSize)));
  return `${selectSign(tape, span, true)}${deltaLots === 0n ? "0" : figure}`;
}
