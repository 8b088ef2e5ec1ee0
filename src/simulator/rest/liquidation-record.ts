// One liquidation as REST lists it (2.5). Its words are not shown in the interface: these are plausible ones.
import type { LiquidationRecord } from "../../wire/rest/liquidations.ts";
import type { Owner } from "../accounts/owner.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { FIRST_LIQUIDATION_ID } from "../ledger/liquidation-log.ts";
import { quoteText, sizeText } from "../wire/text.ts";
import type { WallTime } from "../wire/wall-time.ts";

/**
 * `liquidation_type`: how much was closed; `bucket`: which limit was passed; `scope`: what was looked at.
 * @throws {RangeError} for a number that is not kept
 */
export function liquidationRecordOf(
  exchange: Exchange,
  time: WallTime,
  liquidator: Owner,
  number: number,
): LiquidationRecord {
  const { liquidations, accounts, markets } = exchange;
  const liquidation = liquidations.rows[number - liquidations.first];
  const account = accounts[liquidation?.account ?? -1];
  if (liquidation === undefined || account === undefined) {
    throw new RangeError(`liquidation ${number} is not kept`);
  }
  return {
    liquidation_id: String(FIRST_LIQUIDATION_ID + number),
    liquidation_type: liquidation.isPartial ? "partial" : "full",
    liquidator: liquidator.owner,
    liquidatee: account.owner.owner,
    liquidatee_subaccount: account.subaccountId,
    bucket: liquidation.isBankrupt ? "bankruptcy" : "maintenance",
    scope: "account",
    positions: liquidation.positions.flatMap(({ market, isLong, closedLots, marginAtoms }) => {
      const spec = markets[market]?.spec;
      if (spec === undefined) return [];
      return {
        market_id: spec.id,
        side: isLong ? "long" : "short",
        size: sizeText(spec, closedLots),
        position_margin: quoteText(marginAtoms),
        margin_mode: "cross",
      };
    }),
    timestamp_ms: time.ms(liquidation.timeUs),
  };
}
