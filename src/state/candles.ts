// Folds the candles of one channel, of last or of mark prices: the newest candle of a period replaces older ones.
import type { LastCandle, MarkCandle } from "../wire/channels/candles.ts";

/** Candles kept: a day of minutes. */
export const MAX_CANDLES_KEPT = 1440;

/** Candles up to a maximum number. */
export interface CandlesState<C extends LastCandle | MarkCandle> {
  /** By open time, oldest first; one per period. */
  readonly candles: readonly C[];
  /** Open times of periods whose end may have been missed in an interruption: their candles may lack the last trades. */
  readonly unfinished: ReadonlySet<number>;
}

export const noCandles = { candles: [], unfinished: new Set<number>() };

/** Updates may be missing: the candle that was forming may be incomplete until it is received again. */
export function interruptCandles<C extends LastCandle | MarkCandle>(
  state: CandlesState<C>,
): CandlesState<C> {
  const last = state.candles.at(-1);
  if (last === undefined) return state;
  return { ...state, unfinished: new Set(state.unfinished).add(last.open_time_ms) };
}

/** Applies an update; the first of a new subscription follows an interruption. */
export function reduceCandles<C extends LastCandle | MarkCandle>(
  state: CandlesState<C>,
  received: readonly C[],
  isFirst: boolean,
): CandlesState<C> {
  const all = received.reduce<readonly C[]>(put, state.candles);
  const candles = all.length > MAX_CANDLES_KEPT ? all.slice(-MAX_CANDLES_KEPT) : all;
  if (!isFirst && state.unfinished.size === 0) return { candles, unfinished: state.unfinished };
  const unfinished = new Set((isFirst ? interruptCandles(state) : state).unfinished);
  for (const { open_time_ms } of received) unfinished.delete(open_time_ms);
  const oldest = candles[0]?.open_time_ms ?? 0;
  for (const time of unfinished) if (time < oldest) unfinished.delete(time);
  return { candles, unfinished };
}

function put<C extends LastCandle | MarkCandle>(candles: readonly C[], candle: C): readonly C[] {
  let at = candles.length;
  while (at > 0 && (candles[at - 1]?.open_time_ms ?? 0) > candle.open_time_ms) at--;
  const isHeld = candles[at - 1]?.open_time_ms === candle.open_time_ms;
  return candles.toSpliced(isHeld ? at - 1 : at, isHeld ? 1 : 0, candle);
}
