// The spread and the mid price of a market, always of the ungrouped book; and how far the mark price is from the last price.
import {
  type Decimal,
  divideInteger,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  subtractDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import { formatUnits, type Scale } from "../units/scale.ts";
import type { Bbo } from "../wire/channels/bbo.ts";
import type { Trade } from "../wire/channels/trades.ts";
import { withSign } from "./fields.ts";

export interface Spread {
  /** In quote currency, or in ticks without a scale. */
  readonly width: string;
  /** The exact mid price, with half a tick if necessary. */
  readonly mid: string;
  /** Of the mid price, in basis points, rounded half away from zero to at least two significant digits. */
  readonly basisPoints: string;
}

const MIN_PLACES = 2;
const MAX_PLACES = 8;

/** @returns undefined if a side is missing, or if both prices are 0 */
export function selectSpread({ bid, ask }: Bbo, scale?: Scale): Spread | undefined {
  if (bid === null || ask === null) return undefined;
  const bidTicks = BigInt(bid.price_ticks);
  const askTicks = BigInt(ask.price_ticks);
  const ticks = askTicks - bidTicks;
  const basisPoints = significant(ticks * 20_000n, askTicks + bidTicks);
  if (basisPoints === undefined) return undefined;
  return {
    width: formatUnits(ticks.toString(), scale?.tickSize),
    mid: formatMid(bidTicks + askTicks, scale),
    basisPoints: formatDecimal(basisPoints),
  };
}

function formatMid(sumTicks: bigint, scale: Scale | undefined): string {
  const { mantissa, places } = scale?.tickSize ?? { mantissa: 1n, places: 0 };
  const mid = { mantissa: sumTicks * 5n * mantissa, places: places + 1 };
  // As many decimals as prices have, and one more only if it is needed.
  return formatDecimal(sumTicks % 2n === 0n ? { mantissa: mid.mantissa / 10n, places } : mid);
}

/** A quotient with enough decimals that a small one is not shown as 0.00. */
function significant(numerator: bigint, denominator: bigint): Decimal | undefined {
  for (let places = MIN_PLACES; places < MAX_PLACES; places++) {
    const value = divideInteger(numerator, denominator, places);
    if (value === undefined || numerator === 0n) return value;
    if (value.mantissa >= 10n || value.mantissa <= -10n) return value;
  }
  return divideInteger(numerator, denominator, MAX_PLACES);
}

const PLACES = 2;

/**
 * Mark price minus last price, signed: in quote currency, and in basis points of the last price. The last price is that of
 * the newest trade if the scale is known, else the one that the service sends; `mark` and `last` are decimal text.
 * @returns undefined if one of the prices is unknown in currency
 */
export function selectMarkGap({
  mark,
  trade,
  last,
  scale,
}: {
  readonly mark: string | undefined;
  readonly trade: Trade | undefined;
  readonly last: string | undefined;
  readonly scale: Scale | undefined;
}) {
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
