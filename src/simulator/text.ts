// Numbers as they are on the wire. Amounts, prices and rates are decimal text; ticks and lots are integers in text.
import { formatDecimal } from "../units/decimal.ts";
import { formatUnits } from "../units/scale.ts";
import type { Level } from "../wire/frames.ts";
import type { MarketSpec } from "./exchange/market.ts";
import { QUOTE_PLACES } from "./exchange/money.ts";
import type { Level as BookLevel } from "./exchange/order-book.ts";
import { FUNDING_PLACES } from "./exchange/settlement.ts";

/** Unix nanoseconds. The simulated clock counts microseconds: the last three digits are zeros. */
export const nsText = (timeUs: number) => `${timeUs}000`;

/** A whole number of units of the last place. */
const scaledText = (value: number, places: number) =>
  formatDecimal({ mantissa: BigInt(value), places });
export const quoteText = (atoms: number) => scaledText(atoms, QUOTE_PLACES);
export const rateText = (rate: number) => scaledText(rate, FUNDING_PLACES);
export const priceText = ({ tickSize }: MarketSpec, ticks: number) =>
  formatUnits(String(ticks), tickSize);
export const sizeText = ({ lotSize }: MarketSpec, lots: number) =>
  formatUnits(String(lots), lotSize);

export const nameOf = ({ type, id, symbol }: MarketSpec) => ({
  ...{ market_type: type, market_id: id, symbol },
});
type Size = Pick<BookLevel, "priceTicks" | "sizeLots">;
export const levelOf = ({ priceTicks, sizeLots }: Size): Level => ({
  ...{ price_ticks: String(priceTicks), size_base_lots: String(sizeLots) },
});
