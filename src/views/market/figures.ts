// Ticks and lots of a market as prices and sizes in text; the integers themselves where nobody knows what one is worth.

import { type Display, formatNumber } from "../../rows/format.ts";
import { scaleOf } from "../../rows/market.ts";
import type { Store } from "../../state/store.ts";
import { type Decimal, divideHalfEven, formatDecimal } from "../../units/decimal.ts";
import { formatUnits, type Scale } from "../../units/scale.ts";

type Count = bigint | string | number;

export interface Figures {
  readonly scale: Scale | undefined;
  price(ticks: Count): string;
  size(lots: Count): string;
}

/** @param display of the screen; without it, exact text */
export function figuresOf(store: Store, market: string, display?: Display): Figures {
  const scale = scaleOf(store, market);
  const text = (unit: Decimal | undefined) => (count: Count) => {
    const exact = formatUnits(String(count), unit);
    return display === undefined ? exact : formatNumber(exact, display);
  };
  return { scale, price: text(scale?.tickSize), size: text(scale?.lotSize) };
}

/** With one decimal; fewer than a tenth with two that count. */
export function basisPoints(part: bigint, whole: bigint): string {
  if (whole <= 0n) return "–";
  const tenths = formatDecimal(divideHalfEven(part * 10_000n, whole, 1));
  return tenths === "0.0" ? formatDecimal(divideHalfEven(part * 10_000n, whole, 3)) : tenths;
}

/** `0.02 0.2bp`, `crossed`, or what is missing. */
export function spreadText(
  bid: string | undefined,
  ask: string | undefined,
  { price }: Figures,
): string | undefined {
  if (bid === undefined || ask === undefined) return undefined;
  const [low, high] = [BigInt(bid), BigInt(ask)];
  return high < low ? "crossed" : `${price(high - low)} ${basisPoints(high - low, low)}bp`;
}
