// How far a position is from its liquidation, as a number that can be drawn and alerted on: from prices that the service gives,
// never from a formula.
import { positionDirection, positionSize } from "../select/fields.ts";
import { formatMarket, type Market, parseMarketRecord } from "../select/market.ts";
import type { AccountList } from "../state/account-list.ts";
import type { Aliases } from "../state/aliases.ts";
import {
  absoluteDecimal,
  compareDecimal,
  type Decimal,
  divideInteger,
  parseDecimal,
  subtractDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import type { OpenRecord } from "../wire/update.ts";

/** More digits than a double has. */
const RATIO_PLACES = 18;

export interface Distance {
  /** `perp/1`. */
  readonly market: string;
  /** |mark − liquidation| / mark; 0 once it has been reached. */
  readonly ratio: Decimal;
}

/**
 * The nearest liquidation of each market in which there is a position. Left out: rows in question, and those of which the
 * mark price or the liquidation price is missing or not positive.
 * @param markOf the mark price of the market; `ofRow` is what the position itself says
 */
export function liquidationDistances(
  positions: AccountList,
  aliases: Aliases,
  markOf: (market: Market, ofRow: Decimal | undefined) => Decimal | undefined,
): readonly Distance[] {
  const { hasCome, rows, inQuestion, unnamed } = positions;
  const certain = rows.filter((row) => hasCome && (!inQuestion.has(row) || unnamed.has(row)));
  const nearest = new Map<string, Decimal>();
  for (const row of certain) {
    const market = parseMarketRecord(row, aliases);
    const mark = market && markOf(market, positive(row, "markPrice", aliases));
    const ratio = mark && distanceOf(row, mark, aliases);
    if (market === undefined || ratio === undefined) continue;
    const name = formatMarket(market);
    const before = nearest.get(name);
    if (before === undefined || compareDecimal(ratio, before) < 0) nearest.set(name, ratio);
  }
  return [...nearest].map(([market, ratio]) => ({ market, ratio }));
}

function distanceOf(row: OpenRecord, mark: Decimal, aliases: Aliases): Decimal | undefined {
  const liquidation = positive(row, "liquidationPrice", aliases);
  if (liquidation === undefined || positionSize(row, aliases, undefined)?.mantissa === 0n) {
    return undefined;
  }
  const apart = subtractDecimal(mark, liquidation);
  const direction = positionDirection(row, aliases);
  const isReached =
    (direction === "long" && apart.mantissa <= 0n) ||
    (direction === "short" && apart.mantissa >= 0n);
  if (isReached) return { mantissa: 0n, places: 0 };
  const whole = widenDecimal(mark, apart.places).mantissa;
  return divideInteger(absoluteDecimal(apart).mantissa, whole, RATIO_PLACES);
}

function positive(
  row: OpenRecord,
  meaning: "markPrice" | "liquidationPrice",
  aliases: Aliases,
): Decimal | undefined {
  const value = parseDecimal(aliases.text(row, meaning) ?? "");
  return value !== undefined && value.mantissa > 0n ? value : undefined;
}
