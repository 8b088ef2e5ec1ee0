// What the panes of a market show of the order flow: windows, what is known of their time, and answers that are kept until the
// flow changes.

import type { Display } from "../../../select/display.ts";
import { withSign } from "../../../select/fields.ts";
import {
  type FlowMark,
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
  type TradedSince,
} from "../../../select/flow.ts";
import { getStep } from "../../../select/orderbook.ts";
import type { TradesState } from "../../../state/trades.ts";
import { areSame } from "../../../units/remembered.ts";
import { formatUnits, type Scale } from "../../../units/scale.ts";
import { formatAge, MINUTE_MS, SECOND_MS } from "../../../units/time.ts";
import { toWhole, type Whole } from "../../../units/whole.ts";
import type { MarketModel } from "./model.ts";

/** What traded at the rows of the ladder is counted over this, until the user counts anew. */
const LADDER_WINDOW_MS = 8 * MINUTE_MS;
/** While trades come, sums of the order book are not made more often than the first, those of whole days on the chart the second. */
const KEPT_MS = 250;
export const CHART_KEPT_MS = 500;

interface Kept {
  readonly of: readonly unknown[];
  /** What changes whenever a sum may. */
  readonly version: readonly unknown[];
  readonly atMs: number;
  readonly value: unknown;
}

/** Answers by their name. */
export class KeptViews {
  readonly #kept = new Map<string, Kept>();

  /** @param of what the answer depends on besides the trades */
  read<T>(
    name: string,
    {
      model,
      tape,
      of,
      again,
      keptMs = KEPT_MS,
    }: KeptOptions & { readonly of: readonly unknown[]; readonly keptMs?: number },
    make: () => T,
  ): T {
    const { now, isFrozen } = model.parts.shown;
    const atMs = now();
    const kept = this.#kept.get(name);
    const isSame = kept !== undefined && kept.version[0] === tape && areSame(kept.of, of);
    if (isSame) {
      if (isCurrentVersion(kept.version, tape)) return kept.value as T;
      const leftMs = kept.atMs + keptMs - atMs;
      if (!isFrozen && leftMs > 0 && leftMs <= keptMs) {
        again(leftMs);
        return kept.value as T;
      }
    }
    const value = make();
    this.#kept.set(name, { of, version: getVersion(tape), atMs, value });
    return value;
  }
}

export interface KeptOptions {
  readonly model: MarketModel;
  readonly tape: TradesState;
  /** Asks for another frame. */
  readonly again: (afterMs: number) => void;
}

function getVersion(tape: TradesState): readonly unknown[] {
  const { flow, holes, releasedHoles, healed } = tape;
  return [tape, flow.stepTotal, flow.sinceMs, holes, releasedHoles, healed];
}

/** The same as to compare with `getVersion`, without making one. */
function isCurrentVersion(version: readonly unknown[], tape: TradesState): boolean {
  const { flow, holes, releasedHoles, healed } = tape;
  return (
    version[1] === flow.stepTotal &&
    version[2] === flow.sinceMs &&
    version[3] === holes &&
    version[4] === releasedHoles &&
    version[5] === healed
  );
}

/** Counting anew from a moment on. */
export interface TradedMark {
  readonly mark: FlowMark;
  /** Time of the service, Unix milliseconds. */
  readonly atMs: number;
}

export interface TradedWindow {
  readonly span: FlowSpan;
  readonly since: TradedSince;
}

/** Of what traded at the rows of the ladder; undefined before the first trades. */
export function tradedWindow({ data, choices }: MarketModel): TradedWindow | undefined {
  const nowMs = data?.serverNowMs;
  if (data === undefined || nowMs === undefined) return undefined;
  const { flow } = data.tape;
  const { tradedMark: marked } = choices;
  const untilMs = nowMs + 1;
  // In the past before it, and where its minute is not kept any more, a mark says nothing.
  const isHeld = ({ mark, atMs }: TradedMark) =>
    atMs <= nowMs &&
    (mark.cells.length === 0 || flow.minutes.some(({ openMs }) => openMs === mark.openMs));
  if (marked !== undefined && isHeld(marked)) {
    return { span: { fromMs: marked.atMs, untilMs }, since: marked.mark };
  }
  const fromMs = minuteAnchor(nowMs - LADDER_WINDOW_MS);
  return { span: { fromMs, untilMs }, since: { fromMs } };
}

/**
 * `since 13:02:15, 1 hole 0.8 s` and shorter forms: since when the sums are, and what that time lacks.
 */
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

/** The sign that a number of the window carries: only what was lost in it makes it uncertain, its title says since when it is. */
export function getSign(tape: TradesState, span: FlowSpan, isSigned: boolean): string {
  return holeSign({ ...selectWindowCoverage(tape, span), reached: 1 }, isSigned);
}

/** What traded at a row of the ladder, with its figures: nothing where nothing did. */
export interface TradedRow {
  readonly lots: number;
  readonly sold: string;
  readonly bought: string;
}

type TradedOf = (side: "bid" | "ask", priceTicks: bigint) => TradedRow;

/** Figures stay as long as the sums do: those of all rows are made anew a few times a second, not with each frame. */
export function selectTradedIn(options: KeptOptions, window: TradedWindow): TradedOf {
  const { model, tape } = options;
  const { since } = window;
  const key = "cells" in since ? since : since.fromMs;
  const { data, grouping, scale, parts } = model;
  const { display } = parts.shown;
  const { sign } = readSince(options, window);
  const best = data?.depth(1);
  const [bid, ask] = [best?.bids[0], best?.asks[0]].map((level) =>
    level === undefined ? undefined : BigInt(level.price_ticks),
  );
  const of = [key, grouping, sign, scale, display];
  const ladder = model.keptViews.read("ladder", { ...options, of }, () => ({
    levels: selectTradedAtLevels(tape.flow, since, grouping),
    bid: new Map<Whole, TradedRow>(),
    ask: new Map<Whole, TradedRow>(),
  }));
  const { levels } = ladder;
  const across = model.keptViews.read("across", { ...options, of: [levels, bid, ask] }, () =>
    levels.across({ bid, ask }),
  );
  const touch = {
    bid: bid === undefined ? undefined : getStep(bid, grouping, "bid"),
    ask: ask === undefined ? undefined : getStep(ask, grouping, "ask"),
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
      const { boughtLots, soldLots } = across[side];
      return formatRow({
        boughtLots: traded.boughtLots - boughtLots,
        soldLots: traded.soldLots - soldLots,
      });
    }
    const whole = toWhole(priceTicks);
    const known = ladder[side].get(whole);
    if (known !== undefined) return known;
    const row = formatRow(levels.at(side, priceTicks));
    ladder[side].set(whole, row);
    return row;
  };
}

/** Since when what traded at the ladder is counted, in words, and the sign of its sums: `≥` where trades are missing. */
export function readSince(
  options: KeptOptions,
  { span, since }: TradedWindow,
): { readonly words: readonly string[]; readonly sign: string } {
  const { model, tape } = options;
  const { display } = model.parts.shown;
  const isSliding = !("cells" in since);
  // How far a window is covered changes with time alone.
  const of = [span.fromMs, Math.floor(span.untilMs / SECOND_MS), isSliding, display];
  return model.keptViews.read("since", { ...options, of }, () => ({
    words: formatSince(tape, { span, isSliding }, display),
    sign: getSign(tape, span, false),
  }));
}

/** `-0.5`: bought less sold of a period, with `±` where trades of it are missing. Undefined where nothing of it is known. */
export function formatTradeDelta(
  tape: TradesState,
  span: FlowSpan,
  { scale, display }: { readonly scale: Scale | undefined; readonly display: Display },
): string | undefined {
  if (tape.flow.sinceMs === undefined || span.untilMs <= tape.flow.sinceMs) return undefined;
  const { deltaLots } = selectTradeDelta(tape.flow, span);
  const figure = withSign(display.number(formatUnits(`${deltaLots}`, scale?.lotSize)));
  return `${getSign(tape, span, true)}${deltaLots === 0n ? "0" : figure}`;
}
