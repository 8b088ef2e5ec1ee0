// GET …/markets/{market_id}/trades and GET …/accounts/{address}/subaccounts/{subaccount_id}/trades
// (sections 2.4, 4.2, 4.4): both list the same record, newest first.
import { createSchema } from "../schema.ts";
import { type RecordOf, recordSchema } from "./fields.ts";
import { decodePage, type Page } from "./page.ts";
import { TRADE_FIELDS } from "./trade-fields.ts";

export type TradeRecord = RecordOf<typeof TRADE_FIELDS>;

const page = createSchema<readonly TradeRecord[]>((shape) =>
  shape.page(recordSchema(shape, TRADE_FIELDS)),
);

/** Reads a page of trades or fills; one record that does not fit rejects the page. */
export function decodeTradesPage(body: string, isStrict: boolean): Page<TradeRecord> {
  return decodePage(page, TRADE_FIELDS, body, isStrict);
}
