// How far the mark price is from the last one: what a position is valued at, against what was paid last.

import {
  divideInteger,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  subtractDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import type { Trade } from "../wire/channels/trades.ts";
import { withSign } from "./signed.ts";

/** The distance of two prices, with its sign: decimal text. */
export interface MarkGap {
  /** Mark less last, in quote currency, with its sign: `+0.55`. */
  readonly width: string;
  /** Of the last price, in basis points: `+0.06`. */
  readonly basisPoints: string;
}

const PLACES = 2;

/** The prices that are compared, and what a tick is worth. */
export interface MarkGapOptions {
  /** Decimal text; undefined where the service does not say it. */
  readonly mark: string | undefined;
  /** The newest trade counts where its scale is known, else the last price that the service says. */
  readonly trade: Trade | undefined;
  readonly last: string | undefined;
  readonly scale: Scale | undefined;
}

/** @returns undefined where one of the prices is not known in currency. Never throws. */
export function selectMarkGap({ mark, trade, last, scale }: MarkGapOptions): MarkGap | undefined {
  const from = parseDecimal(mark ?? "");
  const to =
    trade === undefined || scale === undefined
      ? parseDecimal(last ?? "")
      : multiplyDecimal({ mantissa: BigInt(trade.price_ticks), places: 0 }, scale.tickSize);
  if (from === undefined || to === undefined) return undefined;
  const gap = subtractDecimal(from, to);
  const whole = widenDecimal(to, gap.places).mantissa;
  const points = divideInteger(gap.mantissa * 10_000n, whole, PLACES);
  return (
    points && { width: withSign(formatDecimal(gap)), basisPoints: withSign(formatDecimal(points)) }
  );
}
