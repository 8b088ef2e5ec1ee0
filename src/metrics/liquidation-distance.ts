// How far a position is from its liquidation, as a number that can be drawn: by the prices that the service names, as the
// screen and alerts have it.
import { selectLiquidationShare } from "../select/account-rows.ts";
import { readNumber } from "../select/fields.ts";
import { formatMarket, type Market, parseMarketRecord } from "../select/market.ts";
import type { AccountList } from "../state/account-list.ts";
import type { Aliases } from "../state/aliases.ts";
import { compareDecimal, type Decimal } from "../units/decimal.ts";

/** More digits than a double has. */
const SHARE_PLACES = 18;
const PERCENT_PLACES = 2;

interface Distance {
  /** `perp/1`. */
  readonly market: string;
  /** |mark − liquidation| / mark; 0 once it has been reached. */
  readonly ratio: Decimal;
}

/**
 * The nearest liquidation of each market in which there is a position. Left out: rows in question, and those of which the
 * mark price or the liquidation price is missing or not positive.
 * @param markOf the mark price of the market, for positions that name none
 */
export function liquidationDistances(
  positions: AccountList,
  aliases: Aliases,
  markOf: (market: Market) => Decimal | undefined,
): readonly Distance[] {
  const { hasCome, rows, inQuestion, unnamed } = positions;
  const certain = rows.filter((row) => hasCome && (!inQuestion.has(row) || unnamed.has(row)));
  const nearest = new Map<string, Decimal>();
  for (const row of certain) {
    const market = parseMarketRecord(row, aliases);
    if (market === undefined || readNumber(aliases.value(row, "size"))?.mantissa === 0n) continue;
    const share = selectLiquidationShare(row, aliases, markOf(market), SHARE_PLACES);
    if (share === undefined) continue;
    const name = formatMarket(market);
    const before = nearest.get(name);
    if (before === undefined || compareDecimal(share, before) < 0) nearest.set(name, share);
  }
  return [...nearest].map(([market, share]) => ({
    market,
    ratio: { ...share, places: share.places + PERCENT_PLACES },
  }));
}
