// A fill as its subaccount sees it: which side it was on, and what it paid. The listing tells both sides.

import { addDecimal, formatDecimal, parseDecimal } from "../units/decimal.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";

/** Whose fills they are: the owner in the form of the REST listings. */
export interface FillsOwner {
  readonly owner: string;
  readonly subaccountId: number;
}

/** The part of a subaccount in a trade; empty text where it is on neither side. */
export interface FillPart {
  readonly role: "maker" | "taker" | "both" | "";
  readonly side: "buy" | "sell" | "both" | "";
  /** Quote currency, exact; negative is a rebate. Of both sides: the sum. */
  readonly fee_quote: string;
}

/** A subaccount's part in a trade; hex digits of addresses may be of either case. Never throws. */
export function ownFill(trade: TradeRecord, { owner, subaccountId }: FillsOwner): FillPart {
  const isOwn = (address: string, id: number) =>
    id === subaccountId && address.toLowerCase() === owner.toLowerCase();
  const isMaker = isOwn(trade.maker_address, trade.maker_subaccount_id);
  const isTaker = isOwn(trade.taker_address, trade.taker_subaccount_id);
  const { maker_fee_quote, taker_fee_quote } = trade;
  if (isMaker && isTaker) {
    return { role: "both", side: "both", fee_quote: addText(maker_fee_quote, taker_fee_quote) };
  }
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
  if (left === undefined || right === undefined) return "";
  return formatDecimal(addDecimal(left, right));
}
