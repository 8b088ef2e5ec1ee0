// Pages of the REST listings (2.4, 2.5, 4.2 to 4.4) as JSON Schema, from the document alone.
import { closed, decimal, flag, integer, listOf, type Schema, text } from "./values.ts";

// "Numeric text" beside "signed numeric text, may be negative": the first carries no sign. Both may carry a fraction.
const numericText: Schema = { type: "string", maxLength: 60, pattern: "^[0-9]+(\\.[0-9]+)?$" };
const signedNumericText = decimal;

// The document calls neither the fields required nor the records closed. Decided: a conforming record has each listed
// field and no other. Words whose values are "not shown" are any text.
const trade = closed({
  trade_id: numericText,
  tx_hash: text,
  market_type: text,
  market_id: integer,
  price: numericText,
  quantity: numericText,
  quote_notional: numericText,
  taker_is_bid: flag,
  maker_address: text,
  maker_subaccount_id: integer,
  taker_address: text,
  taker_subaccount_id: integer,
  maker_fee_quote: signedNumericText,
  taker_fee_quote: signedNumericText,
  maker_client_order_id: numericText,
  taker_client_order_id: numericText,
  timestamp_ms: integer,
});

const position = closed({
  market_id: integer,
  side: text,
  size: numericText,
  position_margin: signedNumericText,
  margin_mode: text,
});

const liquidation = closed({
  liquidation_id: numericText,
  liquidation_type: text,
  liquidator: text,
  liquidatee: text,
  liquidatee_subaccount: integer,
  bucket: text,
  scope: text,
  positions: listOf(position),
  timestamp_ms: integer,
});

// No request may ask for more than 1000 (8), so no page has more.
const page = (record: Schema): Schema => listOf(record, { maxItems: 1000 });

export const tradePage = page(trade);
export const liquidationPage = page(liquidation);
