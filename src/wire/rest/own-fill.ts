// A subaccount's part in a trade of which the listing has both sides.
import { addDecimal, formatDecimal, parseDecimal } from "../../units/decimal.ts";
import type { TradeRecord } from "./trades.ts";

/** Whose fills they are: the owner as in the REST listings, 0x and 40 hex digits. */
export interface FillsOwner {
  readonly owner: string;
  readonly subaccountId: number;
}

/** Empty text where the trade does not show on which side the subaccount was. */
export interface FillPart {
  readonly role: "maker" | "taker" | "both" | "";
  readonly side: "buy" | "sell" | "both" | "";
  /** Quote currency, exact; negative for a rebate. If it is on both sides: the sum. */
  readonly fee_quote: string;
}

/** The case of hex digits in addresses is ignored. */
export function ownFill(trade: TradeRecord, { owner, subaccountId }: FillsOwner): FillPart {
  const isOwn = (address: string, id: number) =>
    id === subaccountId && address.toLowerCase() === owner.toLowerCase();
  const isMaker = isOwn(trade.maker_address, trade.maker_subaccount_id);
  const isTaker = isOwn(trade.taker_address, trade.taker_subaccount_id);
  const { maker_fee_quote, taker_fee_quote } = trade;
  if (isMaker && isTaker)
    return { role: "both", side: "both", fee_quote: addText(maker_fee_quote, taker_fee_quote) };
  if (!isMaker && !isTaker) return { role: "", side: "", fee_quote: "" };
  return {
    role: isMaker ? "maker" : "taker",
    side: trade.taker_is_bid === isTaker ? "buy" : "sell",
    fee_quote: isMaker ? maker_fee_quote : taker_fee_quote,
  };
}

/** Exact sum of two decimal texts. */
function addText(a: string, b: string): string {
  const [left, right] = [parseDecimal(a), parseDecimal(b)];
  return left && right ? formatDecimal(addDecimal(left, right)) : "";
}
